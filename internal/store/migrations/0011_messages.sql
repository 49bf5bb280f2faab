-- What was said to a run unasked; its progress knows which of it the model has been shown.
CREATE TABLE messages (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id     TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  mode       TEXT NOT NULL,
  text       TEXT NOT NULL,
  key        TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX messages_of_run ON messages (run_id, id);
CREATE UNIQUE INDEX messages_key ON messages (run_id, key);
