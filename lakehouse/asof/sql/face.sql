-- What is on top in every cell.
CREATE OR REPLACE TEMP TABLE faces AS
--: include tell_tops {{1}}
