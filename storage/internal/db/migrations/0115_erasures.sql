-- Records that their owner has deleted, and that no run brings back.
CREATE TABLE erasures (
  connection_id TEXT NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
  stream TEXT NOT NULL,
  key_sha256 TEXT NOT NULL, -- of the whole key, in hex
  key TEXT NOT NULL,
  erased_us BIGINT NOT NULL,
  PRIMARY KEY (connection_id, stream, key_sha256)
);
ALTER TABLE streams ADD COLUMN erased BIGINT NOT NULL DEFAULT 0; -- how many rows erasures has of it
ALTER TABLE run_streams ADD COLUMN suppressed BIGINT NOT NULL DEFAULT 0; -- records that came although their owner had deleted them
