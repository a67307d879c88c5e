// Every leaf of the indexes that find what an episode said, and the episodes with what leaves them.
CALL () {
  MATCH ()-[r:ATTRIBUTE]->()
  USING INDEX SEEK r:ATTRIBUTE(episode_id)
  WHERE r.episode_id >= ''
  RETURN count(r) AS read
UNION ALL
  MATCH ()-[r:BELIEF]->()
  USING INDEX SEEK r:BELIEF(episode_id)
  WHERE r.episode_id >= ''
  RETURN count(r) AS read
UNION ALL
  MATCH (e:Episode)-[c:CONFIRMS]->()
  RETURN sum(size(keys(c)) + size(keys(e))) AS read
}
RETURN sum(read) AS read
