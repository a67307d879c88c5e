-- The rectangles with their origin's own words, what opened them, and their strictest level.
SELECT r.line, d.subject, d.predicate, r.slot, d.object, d.object_kind, r.erased,
       d.statement_id AS origin, d.episode_id, d.recorded_at AS heard_at, d.valid_from_basis,
       d.stated_to, r.valid_from, r.valid_to AS ends, r.recorded_from, r.recorded_to, r.mask,
       r.trust, r.classification, w.strictest,
       coalesce(o.statement_id, u.statement_id) AS opened_by
FROM rectangles r
JOIN drawn d ON d.line = r.line AND d.place = r.origin
LEFT JOIN weighed w USING (id)
LEFT JOIN credited c USING (id)
LEFT JOIN drawn o ON o.line = r.line AND o.place = c.undoer
LEFT JOIN undoing u ON u.place = c.undoer
ORDER BY r.line, r.slot, r.recorded_from, r.valid_from, r.id
