-- Whose outbox a collector's file is: one row, none in a host's own store. What
-- is counted over rows that are gone is counted here. state_us says when the
-- confirmed state was last known to be the destination's.
CREATE TABLE lanes (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  source_instance_id TEXT NOT NULL,
  connector_id TEXT NOT NULL,
  batch_seq BIGINT NOT NULL,
  batches_delivered BIGINT NOT NULL,
  batches_unknown BIGINT NOT NULL,
  last_ack_us BIGINT NOT NULL,
  last_checkpoint_us BIGINT NOT NULL,
  state_us BIGINT NOT NULL
);

-- The durable work of a lane in the order of delivery. Contents are apart, so
-- that a lease or a count never moves them. subject is what a gap is about, says
-- what became of it.
CREATE TABLE outbox (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('record_batch', 'checkpoint', 'gap', 'blob_upload', 'terminal_run_commit')),
  status TEXT NOT NULL CHECK (status IN ('ready', 'leased', 'succeeded', 'dead_letter')),
  unit_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  subject TEXT NOT NULL,
  says TEXT NOT NULL,
  media_type TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  indexed INTEGER NOT NULL DEFAULT 0,
  attempt_count BIGINT NOT NULL,
  next_attempt_us BIGINT NOT NULL,
  lease_holder TEXT NOT NULL,
  lease_epoch BIGINT NOT NULL,
  lease_until_us BIGINT NOT NULL,
  error_class TEXT NOT NULL,
  last_error TEXT NOT NULL,
  acknowledged_us BIGINT NOT NULL,
  created_us BIGINT NOT NULL,
  updated_us BIGINT NOT NULL
);
CREATE INDEX outbox_open ON outbox (seq, status, kind, next_attempt_us, lease_until_us, created_us) WHERE status <> 'succeeded';
CREATE INDEX outbox_done ON outbox (seq) WHERE status = 'succeeded';
CREATE INDEX outbox_unit ON outbox (unit_id, status, kind);
CREATE INDEX outbox_subject ON outbox (subject, seq) WHERE subject <> '';
CREATE INDEX outbox_unindexed ON outbox (seq) WHERE kind = 'record_batch' AND indexed = 0;

-- What is sent. It goes when it is acknowledged.
CREATE TABLE outbox_payloads (
  seq INTEGER PRIMARY KEY REFERENCES outbox (seq) ON DELETE CASCADE,
  payload BLOB NOT NULL
);

-- Which streams a record batch holds records of, without reading it.
CREATE TABLE outbox_streams (
  seq INTEGER NOT NULL REFERENCES outbox (seq) ON DELETE CASCADE,
  stream TEXT NOT NULL,
  PRIMARY KEY (seq, stream)
);
CREATE INDEX outbox_streams_by_name ON outbox_streams (stream, seq);

-- The streams that a delivered batch has held records of; never pruned.
CREATE TABLE observed_streams (
  stream TEXT PRIMARY KEY,
  first_us BIGINT NOT NULL,
  last_us BIGINT NOT NULL
);

-- The cursors that the destination has confirmed.
CREATE TABLE confirmed_states (
  stream TEXT PRIMARY KEY,
  cursor TEXT NOT NULL,
  run_id TEXT NOT NULL,
  at_us BIGINT NOT NULL
);

-- Bounded parts of the work. closed: all its rows are queued, with its commit.
CREATE TABLE work_units (
  id TEXT PRIMARY KEY,
  stream TEXT NOT NULL,
  boundary TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('planned', 'running', 'delivered', 'complete', 'backlog', 'gap', 'dead')),
  closed INTEGER NOT NULL,
  run_id TEXT NOT NULL,
  attempt_count BIGINT NOT NULL,
  last_attempt_us BIGINT NOT NULL,
  reason TEXT NOT NULL,
  retryable INTEGER NOT NULL,
  last_error TEXT NOT NULL,
  created_us BIGINT NOT NULL
);
CREATE INDEX work_units_by_status ON work_units (status, stream);
