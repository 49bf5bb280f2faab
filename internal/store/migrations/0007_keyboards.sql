-- The keyboard that a phone had before ours took its place, until it is put back: what device made of it, as text.
CREATE TABLE keyboards (
  serial TEXT PRIMARY KEY,
  former TEXT NOT NULL,
  since  INTEGER NOT NULL
) STRICT;
