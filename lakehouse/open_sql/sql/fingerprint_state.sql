-- What is believed as known, every rectangle of it.
SELECT count(*) AS number,
       bit_xor(hash(belief_id, "object", valid_from, valid_to, recorded_from, recorded_to, listeners,
                    origin, strictest, closed_by, reason)) AS digest
FROM {{relation}}
