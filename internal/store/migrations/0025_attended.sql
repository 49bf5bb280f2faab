ALTER TABLE runs ADD COLUMN attended INTEGER NOT NULL DEFAULT 0; -- grows while somebody waits
