-- What a run has spent in no step is in its usage, too: the endings of its lives tell it.
ALTER TABLE usage ADD COLUMN ready INTEGER NOT NULL DEFAULT 0;
