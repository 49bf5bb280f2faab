-- Nothing that is read for a call, a list or a start depends on how many steps and sessions there are.

-- The parts of a step's time have the names under which they are shown.
UPDATE steps SET timing = json_remove(json_set(timing, '$.touch', timing -> '$.act'), '$.act')
  WHERE timing -> '$.act' IS NOT NULL;
ALTER TABLE steps DROP COLUMN model_ns;
ALTER TABLE steps DROP COLUMN phone_ns;

-- What the steps of a run have cost together, kept by the triggers. Times are nanoseconds.
CREATE TABLE usage (
  run_id            TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  steps             INTEGER NOT NULL DEFAULT 0,
  calls             INTEGER NOT NULL DEFAULT 0,
  prompt_tokens     INTEGER NOT NULL DEFAULT 0,
  completion_tokens INTEGER NOT NULL DEFAULT 0,
  done              INTEGER NOT NULL DEFAULT 0,
  settle            INTEGER NOT NULL DEFAULT 0,
  look              INTEGER NOT NULL DEFAULT 0,
  decide            INTEGER NOT NULL DEFAULT 0,
  model             INTEGER NOT NULL DEFAULT 0,
  ask               INTEGER NOT NULL DEFAULT 0,
  intent            INTEGER NOT NULL DEFAULT 0,
  "check"           INTEGER NOT NULL DEFAULT 0,
  touch             INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
INSERT INTO usage SELECT run_id, count(*), sum(calls), sum(prompt_tokens), sum(completion_tokens),
    sum(coalesce(timing ->> '$.done', 0)), sum(coalesce(timing ->> '$.settle', 0)),
    sum(coalesce(timing ->> '$.look', 0)), sum(coalesce(timing ->> '$.decide', 0)),
    sum(coalesce(timing ->> '$.model', 0)), sum(coalesce(timing ->> '$.ask', 0)),
    sum(coalesce(timing ->> '$.intent', 0)), sum(coalesce(timing ->> '$.check', 0)),
    sum(coalesce(timing ->> '$.touch', 0))
  FROM steps GROUP BY run_id;
CREATE TRIGGER usage_begins AFTER INSERT ON runs
BEGIN INSERT INTO usage (run_id) VALUES (NEW.id); END;
INSERT OR IGNORE INTO usage (run_id) SELECT id FROM runs;
CREATE TRIGGER usage_of_new_step AFTER INSERT ON steps
BEGIN UPDATE usage SET steps = steps + 1, calls = calls + NEW.calls,
    prompt_tokens = prompt_tokens + NEW.prompt_tokens, completion_tokens = completion_tokens + NEW.completion_tokens,
    done = done + coalesce(NEW.timing ->> '$.done', 0), settle = settle + coalesce(NEW.timing ->> '$.settle', 0),
    look = look + coalesce(NEW.timing ->> '$.look', 0), decide = decide + coalesce(NEW.timing ->> '$.decide', 0),
    model = model + coalesce(NEW.timing ->> '$.model', 0), ask = ask + coalesce(NEW.timing ->> '$.ask', 0),
    intent = intent + coalesce(NEW.timing ->> '$.intent', 0), "check" = "check" + coalesce(NEW.timing ->> '$.check', 0),
    touch = touch + coalesce(NEW.timing ->> '$.touch', 0)
  WHERE run_id = NEW.run_id; END;
CREATE TRIGGER usage_of_step AFTER UPDATE OF calls, prompt_tokens, completion_tokens, timing ON steps
BEGIN UPDATE usage SET calls = calls + NEW.calls - OLD.calls,
    prompt_tokens = prompt_tokens + NEW.prompt_tokens - OLD.prompt_tokens,
    completion_tokens = completion_tokens + NEW.completion_tokens - OLD.completion_tokens,
    done = done + coalesce(NEW.timing ->> '$.done', 0) - coalesce(OLD.timing ->> '$.done', 0),
    settle = settle + coalesce(NEW.timing ->> '$.settle', 0) - coalesce(OLD.timing ->> '$.settle', 0),
    look = look + coalesce(NEW.timing ->> '$.look', 0) - coalesce(OLD.timing ->> '$.look', 0),
    decide = decide + coalesce(NEW.timing ->> '$.decide', 0) - coalesce(OLD.timing ->> '$.decide', 0),
    model = model + coalesce(NEW.timing ->> '$.model', 0) - coalesce(OLD.timing ->> '$.model', 0),
    ask = ask + coalesce(NEW.timing ->> '$.ask', 0) - coalesce(OLD.timing ->> '$.ask', 0),
    intent = intent + coalesce(NEW.timing ->> '$.intent', 0) - coalesce(OLD.timing ->> '$.intent', 0),
    "check" = "check" + coalesce(NEW.timing ->> '$.check', 0) - coalesce(OLD.timing ->> '$.check', 0),
    touch = touch + coalesce(NEW.timing ->> '$.touch', 0) - coalesce(OLD.timing ->> '$.touch', 0)
  WHERE run_id = NEW.run_id; END;

-- The state of a session's latest run, kept by the triggers, so that lists have an index in their order.
ALTER TABLE sessions ADD COLUMN state TEXT NOT NULL DEFAULT '';
UPDATE sessions SET state = coalesce((SELECT r.state FROM runs r WHERE r.session_id = sessions.id ORDER BY r.seq DESC LIMIT 1), '');
CREATE TRIGGER sessions_state_begins AFTER INSERT ON runs
BEGIN UPDATE sessions SET state = NEW.state WHERE id = NEW.session_id; END;
CREATE TRIGGER sessions_state AFTER UPDATE OF state ON runs WHEN NEW.state <> OLD.state
BEGIN UPDATE sessions SET state = NEW.state WHERE id = NEW.session_id; END;
DROP INDEX sessions_recent; -- lists go backwards, and so does the rowid, which each index ends with
CREATE INDEX sessions_recent ON sessions (updated_at);
CREATE INDEX sessions_of_client ON sessions (client, updated_at);
CREATE INDEX sessions_of_client_in_state ON sessions (client, state, updated_at);
CREATE INDEX sessions_in_state ON sessions (state, updated_at);
CREATE INDEX sessions_of_phone ON sessions (client, serial, updated_at);
CREATE INDEX runs_waiting ON runs (session_id) WHERE waiting_at <> 0;
DROP INDEX runs_owned;
CREATE INDEX runs_going ON runs (created_at) WHERE state IN ('QUEUED', 'RUNNING');
CREATE INDEX leases_of_run ON leases (run_id);

CREATE INDEX questions_of_client ON questions (json_extract(body, '$.client'), status, asked_at);
CREATE INDEX questions_by_key ON questions (json_extract(body, '$.key')) WHERE json_extract(body, '$.key') IS NOT NULL;
CREATE INDEX questions_unapplied ON questions (run_id, asked_at) WHERE applied_at = 0;
