-- What exactly a leave is for, how often it holds (0: any number), how often it was used, and whom it
-- is for, as JSON ('': everybody).
ALTER TABLE grants ADD COLUMN target TEXT NOT NULL DEFAULT '';
ALTER TABLE grants ADD COLUMN times BIGINT NOT NULL DEFAULT 0;
ALTER TABLE grants ADD COLUMN used BIGINT NOT NULL DEFAULT 0;
ALTER TABLE grants ADD COLUMN clients TEXT NOT NULL DEFAULT '';
