-- A listener's rule `r` over the trust and the classification that a statement carries.
({{1}}.trust >= r.min_trust
 AND (r.max_classification IS NULL OR {{1}}.classification <= r.max_classification))
