-- What the guard knew of a step, in its own form.
ALTER TABLE steps ADD COLUMN seen TEXT NOT NULL DEFAULT '';
