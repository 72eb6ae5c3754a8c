-- An artifact lies in parts, so that one of any size is read in little memory. Those that came
-- before, and from an older program beside this one, stay in device_blobs.data, which is empty
-- where there are parts.
CREATE TABLE device_blob_parts (
  connection_id TEXT NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
  sha256 TEXT NOT NULL,
  n BIGINT NOT NULL, -- from 0; each but the last has 256 KiB
  data BLOB NOT NULL,
  PRIMARY KEY (connection_id, sha256, n)
);
ALTER TABLE device_blobs ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0; -- of its parts

-- Which records refer to an artifact, with the change sequence like the rest of the read state.
CREATE TABLE read_blobs (
  sha256 BLOB NOT NULL,
  stream_id INTEGER NOT NULL,
  field BIGINT NOT NULL, -- stands for its name
  key TEXT NOT NULL,
  PRIMARY KEY (sha256, stream_id, field, key)
) WITHOUT ROWID;
CREATE INDEX read_blobs_by_record ON read_blobs (stream_id, key);
ALTER TABLE read_rows ADD COLUMN blobs BIGINT NOT NULL DEFAULT 0; -- how many rows of it read_blobs has

-- Streams that refer to artifacts already are made anew.
UPDATE read_streams SET building_after = '', generation = generation + 1
WHERE stream_id IN (SELECT stream_id FROM records WHERE deleted = 0 AND instr(data, '"blob_id"') > 0);
