-- The first run that could use a stored credential, by its pk; 0: nobody kept it,
-- and every run could.
ALTER TABLE credentials ADD COLUMN from_run BIGINT NOT NULL DEFAULT 0;

-- Credentials that their owner removed, with the first and the last run that could
-- use them. The same field may be stored again since.
CREATE TABLE removed_credentials (
  connection_id TEXT NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
  field TEXT NOT NULL,
  from_run BIGINT NOT NULL,
  to_run BIGINT NOT NULL,
  removed_us BIGINT NOT NULL,
  PRIMARY KEY (connection_id, field)
);

-- What a refusal says in its own words, '' for a skip.
ALTER TABLE dispatches ADD COLUMN says TEXT NOT NULL DEFAULT '';

-- What the credentials of the environment were when they were rejected last: a mark
-- of a few bits, see RejectEnvironment.
CREATE TABLE rejected_environments (
  connection_id TEXT PRIMARY KEY REFERENCES connections (id) ON DELETE CASCADE,
  mark TEXT NOT NULL
);

-- How a connection stands is of one document and one row of the connection: what
-- changes either without writing it again leaves none, and the connection is read.
CREATE TRIGGER evidence_stands AFTER UPDATE OF facts, format, running ON evidence BEGIN
  DELETE FROM standings WHERE connection_id = NEW.connection_id;
END;
CREATE TRIGGER connections_stand AFTER UPDATE OF options, roots, read_roots ON connections BEGIN
  DELETE FROM standings WHERE connection_id = NEW.id;
END;
