//: variable r
// Nothing later shows: a closing after $known_at is absent. Three columns of a WITH or RETURN;
// 2305843009213693952 is FOREVER.
CASE WHEN $known_at < r.recorded_to THEN 2305843009213693952 ELSE r.recorded_to END AS recorded_to,
CASE WHEN $known_at < r.recorded_to THEN null ELSE r.closed_by END AS closed_by,
CASE WHEN $known_at < r.recorded_to THEN null ELSE r.reason END AS reason
