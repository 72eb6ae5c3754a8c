-- What a run was told by its provider when it ended under source pressure
-- without a gap to say so: one row a connection, gone with the next run that
-- ends well. attempt_count counts the runs in a row.
CREATE TABLE pressure (
  connection_id TEXT PRIMARY KEY,
  reason TEXT NOT NULL,
  attempt_count BIGINT NOT NULL,
  run_id TEXT NOT NULL,
  at_us BIGINT NOT NULL,
  next_attempt_us BIGINT NOT NULL
);

-- The ledger of destinations: what a connection has sent where, over all its
-- runs.
CREATE TABLE destinations (
  connection_id TEXT NOT NULL,
  host TEXT NOT NULL,
  requests BIGINT NOT NULL,
  bytes_out BIGINT NOT NULL,
  bytes_in BIGINT NOT NULL,
  first_us BIGINT NOT NULL,
  last_us BIGINT NOT NULL,
  PRIMARY KEY (connection_id, host)
);
