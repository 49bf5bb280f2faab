-- How the runs of a schedule wait for the phone.
ALTER TABLE schedules ADD COLUMN priority TEXT NOT NULL DEFAULT '';
ALTER TABLE schedules ADD COLUMN queue_seconds BIGINT NOT NULL DEFAULT 0;
