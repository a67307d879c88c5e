-- The committed rows of a stored table, whatever files they lie in.
SELECT count(*) AS number, bit_xor(hash(s.batch_id, s.ordinal)) AS digest
FROM {{relation}} s JOIN heard USING (batch_id)
