-- Where a probe writes to see whether the store takes a write.
CREATE TABLE probes (
  name TEXT PRIMARY KEY,
  at   BIGINT NOT NULL
);

-- Tasks that are begun at times, and each time that came, once.
CREATE TABLE schedules (
  name       TEXT COLLATE "C" PRIMARY KEY,
  spec       TEXT NOT NULL,
  zone       TEXT NOT NULL,
  task       TEXT NOT NULL,
  serial     TEXT NOT NULL,
  client     TEXT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE TABLE ticks (
  schedule   TEXT COLLATE "C" NOT NULL REFERENCES schedules (name) ON DELETE CASCADE,
  at         BIGINT NOT NULL,
  state      TEXT NOT NULL, -- claimed, started, missed, skipped, failed
  owner      TEXT NOT NULL DEFAULT '',
  session_id TEXT NOT NULL DEFAULT '',
  why        TEXT NOT NULL DEFAULT '',
  told_at    BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (schedule, at)
);
CREATE INDEX ticks_in_state ON ticks (state, at);

-- The audit is append-only, but for what a person had pruned, and that leaves a line.
CREATE TABLE audit_pruned (before BIGINT NOT NULL);
CREATE OR REPLACE FUNCTION audit_keep() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF OLD.event <> 'pruned' AND EXISTS (SELECT 1 FROM audit_pruned WHERE OLD.at < before) THEN
      RETURN OLD;
    END IF;
  END IF;
  RAISE EXCEPTION 'the audit is append-only';
END $$;
