-- How many of the stored statements belong to the commits that are heard.
SELECT count(*) AS statements FROM stored_batches JOIN heard USING (batch_id)
