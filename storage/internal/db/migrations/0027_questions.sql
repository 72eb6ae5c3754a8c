-- What running runs ask their owners. message and schema are the guest's words. answer is
-- sealed, and there only until the run has taken it.
CREATE TABLE questions (
  id TEXT PRIMARY KEY, -- ordered by time
  connection_id TEXT NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
  run_id TEXT NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  stream TEXT NOT NULL,
  message TEXT NOT NULL,
  schema TEXT NOT NULL, -- JSON; '': none
  state TEXT NOT NULL, -- open, answered, declined, timed_out, lost
  answer BLOB,
  closed_by TEXT NOT NULL DEFAULT '', -- the face that answered or declined
  asked_us BIGINT NOT NULL,
  deadline_us BIGINT NOT NULL, -- 0: as long as the run
  closed_us BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX questions_open ON questions (id) WHERE state = 'open';
CREATE INDEX questions_by_connection ON questions (connection_id, id);
CREATE INDEX questions_by_run ON questions (run_id);
