-- Watermarks that became readable.
CREATE VIEW publications AS
FROM stored_publications
WHERE published_at <= getvariable('known_at') AND "position" <= getvariable('position')
