-- Who may speak for the owner. No column holds a password, a session's secret or a token:
-- only what proves one of them.
CREATE TABLE owners (
  name TEXT PRIMARY KEY, -- 'owner': a host has one
  password TEXT NOT NULL DEFAULT '', -- argon2id, with its parameters; '': none is chosen
  link_sha256 TEXT NOT NULL DEFAULT '', -- of the code with which one is chosen; '': none is open
  link_expires_us BIGINT NOT NULL DEFAULT 0,
  changed_us BIGINT NOT NULL
);

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  sha256 TEXT NOT NULL UNIQUE,
  created_us BIGINT NOT NULL,
  used_us BIGINT NOT NULL, -- to the hour
  address TEXT NOT NULL, -- from which it was opened
  agent TEXT NOT NULL -- the browser's name for itself
);

CREATE TABLE tokens (
  id TEXT PRIMARY KEY,
  sha256 TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  scope TEXT NOT NULL, -- read, run, manage
  created_us BIGINT NOT NULL,
  expires_us BIGINT NOT NULL,
  used_us BIGINT NOT NULL DEFAULT 0 -- to the hour; 0: never
);
