CREATE TABLE met (
  enumeration_id bigint NOT NULL,
  n bigint NOT NULL,
  hashes bytea NOT NULL,
  PRIMARY KEY (enumeration_id, n)
);
ALTER TABLE enumerations ADD COLUMN begun_seq bigint NOT NULL DEFAULT 0;
DELETE FROM marks WHERE stream_id = 0;
UPDATE marks SET generation = 0;
UPDATE enumerations SET open = 0;
