-- Who may touch a phone: the run that has it, the worker that carries that out ('': nobody now), a token that
-- grows with each take-over, and a count of renewals. A worker's own presence is a lease on its own name.
ALTER TABLE leases ALTER COLUMN run_id DROP NOT NULL;
ALTER TABLE leases DROP CONSTRAINT leases_run_id_fkey;
ALTER TABLE leases ADD CONSTRAINT leases_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs (id) ON DELETE SET NULL;
ALTER TABLE leases ADD COLUMN worker TEXT NOT NULL DEFAULT '';
ALTER TABLE leases ADD COLUMN token BIGINT NOT NULL DEFAULT 1;
ALTER TABLE leases ADD COLUMN renewals BIGINT NOT NULL DEFAULT 0;
ALTER TABLE leases ADD COLUMN expires_at BIGINT NOT NULL DEFAULT 0; -- by the worker's own clock, for people
CREATE INDEX leases_of_worker ON leases (worker) WHERE worker <> '';

-- The machines of a farm and their phones, as each of them says.
CREATE TABLE workers (
  id     TEXT COLLATE "C" PRIMARY KEY,
  name   TEXT NOT NULL,
  role   TEXT NOT NULL,
  addr   TEXT NOT NULL DEFAULT '',
  phones TEXT NOT NULL DEFAULT '[]',
  at     BIGINT NOT NULL
);
-- Workers that take no runs any more ('worker NAME'), and phones that get none ('phone SERIAL').
CREATE TABLE closed (
  what TEXT COLLATE "C" PRIMARY KEY,
  at   BIGINT NOT NULL
);

-- Wakes the other machines when a run moves or a question is settled. The tables are the truth: a notice
-- that is lost costs a sweep.
CREATE FUNCTION farm_notice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM pg_notify('taploop', NEW.session_id); RETURN NULL; END $$;
CREATE TRIGGER runs_notice AFTER INSERT OR UPDATE OF state ON runs FOR EACH ROW EXECUTE FUNCTION farm_notice();
CREATE TRIGGER questions_notice AFTER UPDATE OF status ON questions FOR EACH ROW EXECUTE FUNCTION farm_notice();
