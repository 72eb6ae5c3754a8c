-- The key under which its owner has deleted a record that has another one since.
ALTER TABLE erasures ADD COLUMN first_sha256 text COLLATE "C"; -- as key_sha256; NULL: this one
CREATE INDEX erasures_by_first ON erasures (connection_id, stream, first_sha256) WHERE first_sha256 IS NOT NULL;
