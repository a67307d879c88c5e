-- A listener's rule `r` over what no mark can change of a statement: its source and tags.
((len(r.sources) = 0 OR list_contains(r.sources, {{1}}.source))
 AND (len(r.tags) = 0 OR list_has_any(r.tags, {{1}}.tags)))
