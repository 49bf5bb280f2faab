-- What a judge said that touching a label of an app does, '' for nothing that matters.
CREATE TABLE judged (
  app    TEXT NOT NULL,
  label  TEXT NOT NULL,
  act    TEXT NOT NULL,
  since  INTEGER NOT NULL,
  PRIMARY KEY (app, label)
) STRICT, WITHOUT ROWID;
