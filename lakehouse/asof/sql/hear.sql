-- From `near` and `touched` to `heard`: what is not withdrawn and what the listener hears of it,
-- by what it carries. Only what painting needs is kept.
carried AS NOT MATERIALIZED (
  SELECT n.number, n.listener, n.place, n.predicate, n.many, n.valid_from, n.until_changed, n.op,
         n.object, n.object_kind,
         coalesce(t.trust, n.trust) AS trust,
         coalesce(t.classification, n.classification) AS classification
  FROM near n LEFT JOIN touched t USING (known_at, listener, place)
  WHERE t.withdrawn IS DISTINCT FROM true
),
heard AS NOT MATERIALIZED (
  SELECT n.* EXCLUDE (listener) FROM carried n JOIN rules r USING (listener)
  WHERE
--: include trusts n
)
