-- The artifacts of records that their owner has deleted: one goes at the end of a run of the
-- device, unless a record refers to it by then.
CREATE TABLE erased_blobs (
  connection_id TEXT NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
  sha256 TEXT NOT NULL,
  PRIMARY KEY (connection_id, sha256)
);
