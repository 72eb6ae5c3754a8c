CREATE TABLE counters (
  name TEXT PRIMARY KEY,
  value BIGINT NOT NULL
);
INSERT INTO counters (name, value) VALUES ('change', 0);

CREATE TABLE connections (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  connector TEXT NOT NULL,
  options TEXT NOT NULL,
  roots TEXT NOT NULL,
  pinned_sha256 TEXT NOT NULL,
  pinned_manifest TEXT NOT NULL,
  created_us BIGINT NOT NULL
);

CREATE TABLE leases (
  connection_id TEXT PRIMARY KEY REFERENCES connections (id),
  epoch BIGINT NOT NULL,
  run_id TEXT NOT NULL,
  holder TEXT NOT NULL,
  acquired_us BIGINT NOT NULL,
  expires_us BIGINT NOT NULL
);

CREATE TABLE runs (
  pk INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL UNIQUE,
  connection_id TEXT NOT NULL REFERENCES connections (id),
  connector TEXT NOT NULL,
  version TEXT NOT NULL,
  module_sha256 TEXT NOT NULL,
  mode TEXT NOT NULL,
  bookmark TEXT NOT NULL,
  holder TEXT NOT NULL,
  epoch BIGINT NOT NULL,
  streams TEXT NOT NULL,
  status TEXT NOT NULL,
  reason TEXT NOT NULL,
  error TEXT NOT NULL,
  checkpoints TEXT NOT NULL,
  withheld TEXT NOT NULL,
  known_gaps TEXT NOT NULL,
  result TEXT NOT NULL,
  started_us BIGINT NOT NULL,
  finished_us BIGINT NOT NULL
);
CREATE INDEX runs_by_connection ON runs (connection_id, pk);

CREATE TABLE streams (
  id INTEGER PRIMARY KEY,
  connection_id TEXT NOT NULL,
  name TEXT NOT NULL,
  removed INTEGER NOT NULL,
  live BIGINT NOT NULL,
  deleted BIGINT NOT NULL,
  last_seq BIGINT NOT NULL,
  UNIQUE (connection_id, name)
);

CREATE TABLE run_streams (
  run_pk INTEGER NOT NULL REFERENCES runs (pk),
  stream_id INTEGER NOT NULL REFERENCES streams (id),
  added BIGINT NOT NULL,
  changed BIGINT NOT NULL,
  unchanged BIGINT NOT NULL,
  deleted BIGINT NOT NULL,
  PRIMARY KEY (run_pk, stream_id)
);

CREATE TABLE records (
  seq INTEGER PRIMARY KEY,
  stream_id INTEGER NOT NULL,
  key TEXT NOT NULL,
  data TEXT,
  deleted INTEGER NOT NULL,
  emitted_at TEXT NOT NULL,
  run_pk INTEGER NOT NULL,
  UNIQUE (stream_id, key)
);

CREATE TABLE states (
  connection_id TEXT NOT NULL REFERENCES connections (id),
  stream TEXT NOT NULL,
  bookmark TEXT NOT NULL,
  cursor TEXT NOT NULL,
  slice_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  seq BIGINT NOT NULL,
  committed_us BIGINT NOT NULL,
  PRIMARY KEY (connection_id, stream, bookmark)
);

CREATE TABLE staged_states (
  run_pk INTEGER NOT NULL REFERENCES runs (pk),
  stream TEXT NOT NULL,
  cursor TEXT NOT NULL,
  slice_id TEXT NOT NULL,
  staged_us BIGINT NOT NULL,
  PRIMARY KEY (run_pk, stream)
);

CREATE TABLE events (
  run_pk INTEGER NOT NULL REFERENCES runs (pk),
  seq BIGINT NOT NULL,
  type TEXT NOT NULL,
  stream TEXT NOT NULL,
  data TEXT NOT NULL,
  at_us BIGINT NOT NULL,
  PRIMARY KEY (run_pk, seq)
);

CREATE TABLE coverage (
  run_pk INTEGER NOT NULL REFERENCES runs (pk),
  stream TEXT NOT NULL,
  state_stream TEXT NOT NULL,
  required BIGINT NOT NULL,
  hydrated BIGINT NOT NULL,
  gaps BIGINT NOT NULL,
  skipped BIGINT NOT NULL,
  considered BIGINT,
  covered BIGINT,
  declared_us BIGINT NOT NULL,
  PRIMARY KEY (run_pk, stream, state_stream)
);

CREATE TABLE gaps (
  id TEXT PRIMARY KEY,
  connection_id TEXT NOT NULL REFERENCES connections (id),
  stream TEXT NOT NULL,
  parent_stream TEXT NOT NULL,
  record_key TEXT NOT NULL,
  reason TEXT NOT NULL,
  class TEXT NOT NULL,
  detail_locator TEXT NOT NULL,
  list_cursor TEXT NOT NULL,
  scope TEXT NOT NULL,
  last_error TEXT NOT NULL,
  status TEXT NOT NULL,
  attempt_count BIGINT NOT NULL,
  last_attempt_us BIGINT NOT NULL,
  next_attempt_us BIGINT NOT NULL,
  discovered_run_id TEXT NOT NULL,
  last_run_id TEXT NOT NULL,
  recovered_run_id TEXT NOT NULL,
  lease_run_id TEXT NOT NULL,
  lease_id TEXT NOT NULL,
  lease_attempted INTEGER NOT NULL,
  lease_expires_us BIGINT NOT NULL,
  created_us BIGINT NOT NULL,
  UNIQUE (connection_id, stream, parent_stream, record_key)
);
CREATE INDEX gaps_by_status ON gaps (connection_id, status, stream);
