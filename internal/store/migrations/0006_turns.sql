-- Whose time it is to answer an open question, and how its run is to go on with the answer.
ALTER TABLE questions ADD COLUMN turn TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(turn));
ALTER TABLE questions ADD COLUMN resume TEXT NOT NULL DEFAULT '';
