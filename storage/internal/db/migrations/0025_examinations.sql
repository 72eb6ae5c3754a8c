-- When the scheduler examines a connection again; 0: at once, because it has changed.
ALTER TABLE evidence ADD COLUMN examine_us BIGINT NOT NULL DEFAULT 0;
CREATE INDEX evidence_examine ON evidence (examine_us, connection_id);
