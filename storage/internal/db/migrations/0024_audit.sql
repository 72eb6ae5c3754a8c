-- What an owner changed, or was refused: who did it, what, on what, when, from which
-- address, and how it came out. No column holds a secret.
CREATE TABLE audit (
  seq INTEGER PRIMARY KEY,
  at_us BIGINT NOT NULL,
  actor TEXT NOT NULL, -- command_line, session, token, device
  actor_id TEXT NOT NULL DEFAULT '',
  address TEXT NOT NULL DEFAULT '', -- '': this machine
  operation TEXT NOT NULL,
  subject TEXT NOT NULL,
  outcome TEXT NOT NULL -- done, or a stable error code
);
CREATE INDEX audit_by_time ON audit (at_us);
