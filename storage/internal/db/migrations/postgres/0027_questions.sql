CREATE TABLE questions (
  id text COLLATE "C" PRIMARY KEY,
  connection_id text COLLATE "C" NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
  run_id text COLLATE "C" NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE,
  kind text COLLATE "C" NOT NULL,
  stream text COLLATE "C" NOT NULL,
  message text COLLATE "C" NOT NULL,
  schema text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  answer bytea,
  closed_by text COLLATE "C" NOT NULL DEFAULT '',
  asked_us bigint NOT NULL,
  deadline_us bigint NOT NULL,
  closed_us bigint NOT NULL DEFAULT 0
);
CREATE INDEX questions_open ON questions (id) WHERE state = 'open';
CREATE INDEX questions_by_connection ON questions (connection_id, id);
CREATE INDEX questions_by_run ON questions (run_id);
