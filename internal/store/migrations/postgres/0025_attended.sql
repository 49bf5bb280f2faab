ALTER TABLE runs ADD COLUMN attended BIGINT NOT NULL DEFAULT 0; -- grows while somebody waits
