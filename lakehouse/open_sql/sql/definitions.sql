-- Versions of declared sources, predicates and listeners.
CREATE VIEW definitions AS
FROM stored_definitions WHERE holds_from <= getvariable('known_at')
