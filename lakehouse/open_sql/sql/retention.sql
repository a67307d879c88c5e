-- Of each source, declared or landed, its episodes, the first landing, and how many landed before its two limits;
-- those whose payload was erased are past neither.
WITH stated AS (
  SELECT unnest($sources::VARCHAR[]) AS source, unnest($floors::BIGINT[]) AS floor,
         unnest($keeps::BIGINT[]) AS keep
), landed AS (
  SELECT source, landed_at, coalesce(list_has_any(subject_keys, $gone::VARCHAR[]), false) AS erased
  FROM episodes
)
SELECT source, count(l.landed_at) AS episodes, min(l.landed_at) AS oldest,
       count(*) FILTER (l.landed_at < s.floor AND NOT l.erased) AS erasable,
       count(*) FILTER (l.landed_at < s.keep AND NOT l.erased) AS due
FROM stated s FULL JOIN landed l USING (source)
GROUP BY source ORDER BY source
