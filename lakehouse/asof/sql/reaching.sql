-- Undoing statements that reach what `{{1}}` names, or reach what reaches it; later ones only.
reaching(line, place) AS (
  SELECT n.line, u.place
  FROM {{1}} n JOIN undoing u ON u.target = n.name AND u.place > n.place
  WHERE u.op <> 'erase'
  UNION
  SELECT n.line, later.place
  FROM (
    SELECT r.line, u.place, unnest([u.statement_id, u.episode_id]) AS target
    FROM reaching r JOIN undoing u USING (place)
  ) n
  JOIN undoing later USING (target)
  WHERE later.op <> 'erase' AND later.place > n.place
)
