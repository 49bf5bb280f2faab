-- Secret answers that a run was given, encrypted, from when they are applied until the run ends: the phone is to type them, and
-- nobody is to read them.
CREATE TABLE secrets (
  question_id TEXT PRIMARY KEY,
  run_id      TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  sealed      BLOB NOT NULL,
  typed       INTEGER NOT NULL DEFAULT 0,
  given_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX secrets_of_run ON secrets (run_id);
