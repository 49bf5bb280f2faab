-- On which screen somebody decided.
ALTER TABLE audit ADD COLUMN frame TEXT NOT NULL DEFAULT '';

-- People's leave to go on for a while without asking. A row is never changed but for its end.
CREATE TABLE grants (
  seq    INTEGER PRIMARY KEY AUTOINCREMENT,
  scope  TEXT NOT NULL,
  name   TEXT NOT NULL DEFAULT '',
  since  INTEGER NOT NULL,
  until  INTEGER NOT NULL,
  by     TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX grants_until ON grants (until);
