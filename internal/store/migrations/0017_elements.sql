-- The elements of the screen as the model was shown them: JSON, compressed. Steps of former versions, and those without
-- elements, have none.
ALTER TABLE steps ADD COLUMN elements BLOB NOT NULL DEFAULT x'';
