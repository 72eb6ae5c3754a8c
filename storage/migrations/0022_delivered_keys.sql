-- The keys under which a collector's runs delivered details, deletions included: its
-- outbox hands the records on, and a run may still say that it knows one unchanged.
-- Empty in a host's own store, whose records are there.
CREATE TABLE delivered_keys (
  stream_id INTEGER NOT NULL REFERENCES streams (id),
  key TEXT NOT NULL,
  PRIMARY KEY (stream_id, key)
) WITHOUT ROWID;
