-- Records that their owner has deleted, and that no run brings back.
CREATE TABLE erasures (
  connection_id text COLLATE "C" NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
  stream text COLLATE "C" NOT NULL,
  key_sha256 text COLLATE "C" NOT NULL, -- of the whole key, in hex
  key text COLLATE "C" NOT NULL,
  erased_us bigint NOT NULL,
  PRIMARY KEY (connection_id, stream, key_sha256)
);
ALTER TABLE streams ADD COLUMN erased bigint NOT NULL DEFAULT 0; -- how many rows erasures has of it
ALTER TABLE run_streams ADD COLUMN suppressed bigint NOT NULL DEFAULT 0; -- records that came although their owner had deleted them
