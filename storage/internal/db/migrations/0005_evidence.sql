-- What is kept of a connection to project its health: one row a connection,
-- written in the transaction of every fact that it follows from. facts is the
-- document that is projected; the other columns are what is asked of many rows
-- at once. Answers are not kept.
CREATE TABLE evidence (
  connection_id TEXT PRIMARY KEY REFERENCES connections (id),
  name TEXT NOT NULL UNIQUE,
  connector TEXT NOT NULL,
  format INTEGER NOT NULL,
  revision BIGINT NOT NULL,
  latest_run TEXT NOT NULL,
  settled_run TEXT NOT NULL,
  succeeded_run TEXT NOT NULL,
  running INTEGER NOT NULL,
  gaps_pressure BIGINT NOT NULL,
  gaps_other BIGINT NOT NULL,
  next_attempt_us BIGINT NOT NULL,
  next_change_us BIGINT NOT NULL,
  retained BIGINT NOT NULL,
  facts TEXT NOT NULL
);
CREATE INDEX evidence_running ON evidence (connection_id) WHERE running = 1;

-- How a connection that is not running counts in its fleet, from one moment to
-- the next at which time alone changes it: what a fleet is counted by.
CREATE TABLE standings (
  connection_id TEXT NOT NULL REFERENCES connections (id),
  from_us BIGINT NOT NULL,
  until_us BIGINT NOT NULL,
  tone TEXT NOT NULL,
  channel TEXT NOT NULL,
  stalled INTEGER NOT NULL,
  records INTEGER NOT NULL,
  PRIMARY KEY (connection_id, from_us)
);
CREATE INDEX standings_counted ON standings (tone, channel, stalled, records, from_us, until_us);

-- The open gaps of a reason, by what their floors and their attempts are.
CREATE INDEX gaps_open_floor ON gaps (connection_id, reason, next_attempt_us) WHERE status IN ('pending', 'in_progress');
CREATE INDEX gaps_open_attempts ON gaps (connection_id, reason, attempt_count) WHERE status IN ('pending', 'in_progress');
