-- Microseconds UTC as text; open ends as ∞.
CREATE MACRO iso(micros) AS CASE
  WHEN micros >= getvariable('until_changed') THEN '∞'
  WHEN micros <= getvariable('always') THEN '-∞'
  ELSE strftime(make_timestamp(micros), '%Y-%m-%dT%H:%M:%S.%fZ') END
