-- What was erased: statements, episodes and entities, by id. Erasure holds at every instant.
CREATE OR REPLACE TEMP TABLE erasing AS
SELECT DISTINCT target FROM undoing WHERE op = 'erase' AND target IS NOT NULL
