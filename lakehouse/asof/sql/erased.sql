-- True where the statement is erased: by its row, or by an erasure of it, of its episode, or of an
-- entity that it is about or that it names. A literal that reads like an entity's id is none.
({{1}}.erased OR {{1}}.statement_id IN (FROM erasing) OR {{1}}.episode_id IN (FROM erasing)
 OR {{1}}.subject IN (FROM erasing)
 OR ({{1}}.object_kind = 'entity' AND coalesce({{1}}.object IN (FROM erasing), false)))
