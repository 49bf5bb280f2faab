-- Who may touch a phone: the run that has it, the worker that carries that out ('': nobody now), a token that
-- grows with each take-over, and a count of renewals. A worker's own presence is a lease on its own name.
CREATE TABLE leases_now (
  serial     TEXT PRIMARY KEY,
  run_id     TEXT REFERENCES runs (id) ON DELETE SET NULL,
  since      INTEGER NOT NULL,
  worker     TEXT NOT NULL DEFAULT '',
  token      INTEGER NOT NULL DEFAULT 1,
  renewals   INTEGER NOT NULL DEFAULT 0,
  expires_at INTEGER NOT NULL DEFAULT 0 -- by the worker's own clock, for people
) STRICT;
INSERT INTO leases_now (serial, run_id, since) SELECT serial, run_id, since FROM leases;
DROP TABLE leases;
ALTER TABLE leases_now RENAME TO leases;
CREATE INDEX leases_of_run ON leases (run_id) WHERE run_id IS NOT NULL;
CREATE INDEX leases_of_worker ON leases (worker) WHERE worker <> '';

-- The machines of a farm and their phones, as each of them says.
CREATE TABLE workers (
  id     TEXT PRIMARY KEY,
  name   TEXT NOT NULL,
  role   TEXT NOT NULL,
  addr   TEXT NOT NULL DEFAULT '',
  phones TEXT NOT NULL DEFAULT '[]',
  at     INTEGER NOT NULL
) STRICT;
-- Workers that take no runs any more ('worker NAME'), and phones that get none ('phone SERIAL').
CREATE TABLE closed (
  what TEXT PRIMARY KEY,
  at   INTEGER NOT NULL
) STRICT;
