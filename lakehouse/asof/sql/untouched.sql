-- As `settle` where nothing undoes what is near.
CREATE OR REPLACE TEMP TABLE settled (
  known_at BIGINT, listener BIGINT, place BIGINT, withdrawn BOOLEAN, trust INTEGER,
  classification INTEGER, works BOOLEAN
);
CREATE OR REPLACE TEMP TABLE touched (
  known_at BIGINT, listener BIGINT, place BIGINT, withdrawn BOOLEAN, trust INTEGER,
  classification INTEGER
)
