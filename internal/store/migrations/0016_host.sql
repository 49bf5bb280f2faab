-- What a session without a phone has done, a line an entry; what is in them is for package host to say.
CREATE TABLE entries (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  idx        INTEGER NOT NULL,
  body       TEXT NOT NULL CHECK (json_valid(body)),
  at         INTEGER NOT NULL,
  PRIMARY KEY (session_id, idx)
) STRICT, WITHOUT ROWID;
-- The session that began this one, "" for none.
ALTER TABLE sessions ADD COLUMN parent TEXT NOT NULL DEFAULT '';
CREATE INDEX sessions_of_parent ON sessions (parent) WHERE parent <> '';
