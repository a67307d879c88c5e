-- Does anything that undoes name what is near, or its episode?
SELECT count(*) > 0 AS undone
FROM near n
WHERE n.statement_id IN (SELECT target FROM undoing WHERE op <> 'erase')
   OR n.episode_id IN (SELECT target FROM undoing WHERE op <> 'erase')
