-- The file of a frame is not synced by itself: its step has the length and the SHA-256 of what was written. Steps of former
-- versions have none, and files that were synced.
ALTER TABLE steps ADD COLUMN frame_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE steps ADD COLUMN frame_sum BLOB NOT NULL DEFAULT x'';
