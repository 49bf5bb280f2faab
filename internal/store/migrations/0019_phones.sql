-- Phones by name. Of phones with the same factory serial the first has it as its name.
CREATE TABLE phones (
  name   TEXT PRIMARY KEY,
  serial TEXT NOT NULL,
  mark   TEXT NOT NULL,
  since  INTEGER NOT NULL
) STRICT;
CREATE INDEX phones_serial ON phones (serial);
