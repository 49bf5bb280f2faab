-- Whom a session belongs to, and the key under which its client started it: the same key again means the same session.
ALTER TABLE sessions ADD COLUMN client TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN start_key TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX sessions_by_key ON sessions (client, start_key) WHERE start_key <> '';
