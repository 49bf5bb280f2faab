-- Values by their names, such as the tokens.
CREATE TABLE keys (
  name TEXT PRIMARY KEY,
  key  BLOB NOT NULL
) STRICT;
