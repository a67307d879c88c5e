//: variable n
// Episodes as rows of `episodes`, and how many properties each has in all.
WITH n, properties(n) AS p
RETURN collect([p.id, p.tenant, p.episode, p.source, p.source_key, p.location, p.landed_at,
  p.occurred_at, p.attested_at, p.trust, p.classification, p.who, p.tags, p.media_type,
  [label IN labels(n) WHERE label <> 'Episode'], size(keys(p))]) AS found
