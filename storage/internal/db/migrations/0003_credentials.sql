-- Secrets of connections, sealed: the store holds no key to them.
CREATE TABLE credentials (
  connection_id TEXT NOT NULL REFERENCES connections (id),
  field TEXT NOT NULL,
  sealed BLOB NOT NULL,
  updated_us BIGINT NOT NULL,
  PRIMARY KEY (connection_id, field)
);
