-- The artifacts of records that their owner has deleted: one goes at the end of a run of the
-- device, unless a record refers to it by then.
CREATE TABLE erased_blobs (
  connection_id text COLLATE "C" NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
  sha256 text COLLATE "C" NOT NULL,
  PRIMARY KEY (connection_id, sha256)
);
