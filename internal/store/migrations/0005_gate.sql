-- A step that parks a question says of which kind; the store does not know which actions ask.
ALTER TABLE steps ADD COLUMN asks TEXT NOT NULL DEFAULT '';
UPDATE steps SET asks = 'info' WHERE verb = 'INFO' AND state = 'INTENT';

-- A session has one run at a time, whatever states a run can be in.
DROP INDEX runs_live;
CREATE UNIQUE INDEX runs_live ON runs (session_id) WHERE ended_at = 0;
