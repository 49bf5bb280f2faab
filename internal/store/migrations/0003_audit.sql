-- What happened to questions and, by people, to runs. No references: deleting a session leaves its rows.
CREATE TABLE audit (
  seq         INTEGER PRIMARY KEY AUTOINCREMENT,
  at          INTEGER NOT NULL,
  event       TEXT NOT NULL CHECK (event <> ''),
  question_id TEXT NOT NULL DEFAULT '',
  session_id  TEXT NOT NULL DEFAULT '',
  run_id      TEXT NOT NULL DEFAULT '',
  door        TEXT NOT NULL DEFAULT '',
  authority   TEXT NOT NULL DEFAULT '',
  by          TEXT NOT NULL DEFAULT '',
  words       TEXT NOT NULL DEFAULT '',
  answer      TEXT NOT NULL DEFAULT '', -- never a secret one
  took        INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX audit_by_question ON audit (question_id) WHERE question_id <> '';
CREATE INDEX audit_by_session ON audit (session_id) WHERE session_id <> '';
CREATE INDEX audit_by_time ON audit (at);

-- Append only, also for a program that makes a mistake. The first trigger is for INSERT OR REPLACE.
CREATE TRIGGER audit_keep_replaced BEFORE INSERT ON audit WHEN EXISTS (SELECT 1 FROM audit WHERE seq = NEW.seq)
BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
CREATE TRIGGER audit_keep_updated BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
CREATE TRIGGER audit_keep_deleted BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
