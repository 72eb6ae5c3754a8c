-- The owner's choice of when a connection runs by itself. mode '' and every_us 0
-- leave it to what the manifest recommends.
CREATE TABLE schedules (
  connection_id TEXT PRIMARY KEY REFERENCES connections (id) ON DELETE CASCADE,
  mode TEXT NOT NULL,
  every_us BIGINT NOT NULL,
  paused INTEGER NOT NULL,
  paused_us BIGINT NOT NULL,
  resumed_us BIGINT NOT NULL
);

-- When a connection is to run next, and what that was worked out from.
CREATE TABLE due_times (
  connection_id TEXT PRIMARY KEY REFERENCES connections (id) ON DELETE CASCADE,
  basis TEXT NOT NULL,
  due_us BIGINT NOT NULL
);

-- What the scheduler skipped, or was refused before a run began. Equal ones in a
-- row are one row.
CREATE TABLE dispatches (
  pk INTEGER PRIMARY KEY,
  connection_id TEXT NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
  trigger_word TEXT NOT NULL,
  status TEXT NOT NULL,
  reason TEXT NOT NULL,
  identity TEXT NOT NULL,
  until_us BIGINT NOT NULL,
  first_us BIGINT NOT NULL,
  last_us BIGINT NOT NULL,
  times BIGINT NOT NULL
);
CREATE INDEX dispatches_by_connection ON dispatches (connection_id, pk);

-- The confirming runs that are or were owed: one for each version of the
-- evidence that an owner's action was done.
CREATE TABLE confirmations (
  connection_id TEXT NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
  action TEXT NOT NULL,
  version TEXT NOT NULL,
  at_us BIGINT NOT NULL,
  PRIMARY KEY (connection_id, action, version)
);

-- The one process that schedules runs: its row's id is 1.
CREATE TABLE serving (
  id INTEGER PRIMARY KEY,
  holder TEXT NOT NULL,
  since_us BIGINT NOT NULL,
  expires_us BIGINT NOT NULL
);
