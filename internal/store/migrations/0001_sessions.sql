-- Times are milliseconds since 1970 UTC, durations are nanoseconds, 0 is "not set".

CREATE TABLE sessions (
  id         TEXT PRIMARY KEY,
  serial     TEXT NOT NULL,
  device     TEXT NOT NULL CHECK (json_valid(device)),
  steps      INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_recent ON sessions (updated_at DESC);

CREATE TABLE runs (
  id          TEXT PRIMARY KEY,
  session_id  TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  seq         INTEGER NOT NULL,
  task        TEXT NOT NULL,
  state       TEXT NOT NULL,
  stop_reason TEXT NOT NULL DEFAULT '',
  answer      TEXT NOT NULL DEFAULT '',
  error       TEXT NOT NULL DEFAULT '',
  course      TEXT NOT NULL CHECK (json_valid(course)),
  max_steps   INTEGER NOT NULL DEFAULT 0,
  reply_mode  TEXT NOT NULL DEFAULT '',
  settings    TEXT NOT NULL DEFAULT '',
  owner       TEXT NOT NULL DEFAULT '',
  fence       INTEGER NOT NULL DEFAULT 1,
  question_id TEXT NOT NULL DEFAULT '',
  waiting_at  INTEGER NOT NULL DEFAULT 0,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  ended_at    INTEGER NOT NULL DEFAULT 0,
  UNIQUE (session_id, seq)
) STRICT;
-- A session has one run at a time.
CREATE UNIQUE INDEX runs_live ON runs (session_id) WHERE state IN ('QUEUED', 'RUNNING', 'WAITING_REPLY', 'PAUSED');
CREATE INDEX runs_owned ON runs (owner) WHERE state IN ('QUEUED', 'RUNNING');

CREATE TABLE steps (
  session_id        TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  idx               INTEGER NOT NULL,
  run_id            TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  local             INTEGER NOT NULL,
  fence             INTEGER NOT NULL,
  state             TEXT NOT NULL CHECK (state IN ('INTENT', 'DONE', 'UNKNOWN')),
  verb              TEXT NOT NULL DEFAULT '',
  decision          TEXT NOT NULL CHECK (json_valid(decision)),
  tries             TEXT NOT NULL CHECK (json_valid(tries)),
  caption           TEXT NOT NULL DEFAULT '',
  refusal           TEXT NOT NULL DEFAULT '',
  exchange          TEXT CHECK (exchange IS NULL OR json_valid(exchange)),
  phone             TEXT NOT NULL CHECK (json_valid(phone)),
  timing            TEXT NOT NULL CHECK (json_valid(timing)),
  frame             TEXT NOT NULL DEFAULT '',
  frame_w           INTEGER NOT NULL DEFAULT 0,
  frame_h           INTEGER NOT NULL DEFAULT 0,
  calls             INTEGER NOT NULL DEFAULT 0,
  prompt_tokens     INTEGER NOT NULL DEFAULT 0,
  completion_tokens INTEGER NOT NULL DEFAULT 0,
  model_ns          INTEGER NOT NULL DEFAULT 0,
  phone_ns          INTEGER NOT NULL DEFAULT 0,
  looked_at         INTEGER NOT NULL DEFAULT 0,
  started_at        INTEGER NOT NULL,
  done_at           INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (session_id, idx)
) STRICT;
CREATE INDEX steps_of_run ON steps (run_id);

CREATE TABLE leases (
  serial     TEXT PRIMARY KEY,
  run_id     TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  since      INTEGER NOT NULL
) STRICT;

-- No references: whoever asks need not have a session. Deleting a session deletes its questions in the same transaction.
CREATE TABLE questions (
  id              TEXT PRIMARY KEY,
  session_id      TEXT NOT NULL,
  run_id          TEXT NOT NULL,
  fence           INTEGER NOT NULL,
  status          TEXT NOT NULL,
  body            TEXT NOT NULL CHECK (json_valid(body)),
  resolution      TEXT CHECK (resolution IS NULL OR json_valid(resolution)),
  response        TEXT NOT NULL DEFAULT '', -- plain answers only
  sealed          BLOB,                     -- a secret answer, encrypted, until it is applied
  asked_at        INTEGER NOT NULL,
  attention_until INTEGER NOT NULL,
  expires_at      INTEGER NOT NULL,
  applied_at      INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX questions_by_status ON questions (status, asked_at);
CREATE INDEX questions_by_run ON questions (run_id);
CREATE INDEX questions_by_session ON questions (session_id);
