-- What the open enumerations have met since they began: hashes of keys, 8 bytes each, one row
-- a batch. A row goes when its enumeration is closed or begins anew.
CREATE TABLE met (
  enumeration_id INTEGER NOT NULL,
  n INTEGER NOT NULL,
  hashes BLOB NOT NULL,
  PRIMARY KEY (enumeration_id, n)
) WITHOUT ROWID;
-- The change sequence when the enumeration began: a record that was written since exists.
ALTER TABLE enumerations ADD COLUMN begun_seq BIGINT NOT NULL DEFAULT 0;
-- marks only says which records a part holds from here on, and its generation is 0.
DELETE FROM marks WHERE stream_id = 0;
UPDATE marks SET generation = 0;
UPDATE enumerations SET open = 0;
