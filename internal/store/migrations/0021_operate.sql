-- Where a probe writes to see whether the store takes a write.
CREATE TABLE probes (
  name TEXT PRIMARY KEY,
  at   INTEGER NOT NULL
) STRICT;

-- Tasks that are begun at times, and each time that came, once.
CREATE TABLE schedules (
  name       TEXT PRIMARY KEY,
  spec       TEXT NOT NULL,
  zone       TEXT NOT NULL,
  task       TEXT NOT NULL,
  serial     TEXT NOT NULL,
  client     TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE ticks (
  schedule   TEXT NOT NULL REFERENCES schedules (name) ON DELETE CASCADE,
  at         INTEGER NOT NULL,
  state      TEXT NOT NULL, -- claimed, started, missed, skipped, failed
  owner      TEXT NOT NULL DEFAULT '',
  session_id TEXT NOT NULL DEFAULT '',
  why        TEXT NOT NULL DEFAULT '',
  told_at    INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (schedule, at)
) STRICT;
CREATE INDEX ticks_in_state ON ticks (state, at);

-- The audit is append-only, but for what a person had pruned, and that leaves a line.
DROP TRIGGER audit_keep_deleted;
CREATE TABLE audit_pruned (before INTEGER NOT NULL) STRICT;
CREATE TRIGGER audit_keep_deleted BEFORE DELETE ON audit
  WHEN OLD.event = 'pruned' OR NOT EXISTS (SELECT 1 FROM audit_pruned WHERE OLD.at < before)
BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
