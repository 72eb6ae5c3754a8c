-- What a connector enumerates: a whole stream (part ''), or one part of it. generation
-- counts its enumerations, and a mark of an older one is of a record that the current one
-- has not met. begun_by is the run that began the current one; open: it is not closed.
-- spoiled is why nothing is swept when it is closed, '' for nothing.
CREATE TABLE enumerations (
  id INTEGER PRIMARY KEY,
  stream_id INTEGER NOT NULL,
  part TEXT NOT NULL,
  generation BIGINT NOT NULL,
  begun_by TEXT NOT NULL,
  open INTEGER NOT NULL,
  spoiled TEXT NOT NULL,
  UNIQUE (stream_id, part)
);

-- Which records an enumeration has met, and when last. They stay when it is closed: they
-- say which records the part holds. stream_id is 0 for a whole stream, whose marks nobody
-- looks up by key alone.
CREATE TABLE marks (
  enumeration_id INTEGER NOT NULL,
  key TEXT NOT NULL,
  stream_id INTEGER NOT NULL,
  generation BIGINT NOT NULL,
  PRIMARY KEY (enumeration_id, key)
) WITHOUT ROWID;
CREATE INDEX marks_by_key ON marks (stream_id, key) WHERE stream_id > 0;
