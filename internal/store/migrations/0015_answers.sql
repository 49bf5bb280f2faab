-- Answers that people have agreed to have used again. The body is the answer with all about it.
CREATE TABLE answers (
  id         TEXT PRIMARY KEY,
  likeness   TEXT NOT NULL,
  client     TEXT NOT NULL,
  scope      TEXT NOT NULL,
  session_id TEXT NOT NULL,
  app        TEXT NOT NULL,
  body       TEXT NOT NULL,
  uses       INTEGER NOT NULL DEFAULT 0,
  used_at    INTEGER NOT NULL DEFAULT 0,
  UNIQUE (likeness, client, scope, session_id, app)
) STRICT;
CREATE INDEX answers_session ON answers (session_id) WHERE session_id <> '';
