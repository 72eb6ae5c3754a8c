-- The row's place among the changes of all connections: whoever follows them asks for those behind the last one seen.
ALTER TABLE evidence ADD COLUMN changed BIGINT NOT NULL DEFAULT 0;
CREATE INDEX evidence_changed ON evidence (changed);
-- Where time alone changes how a connection stands.
CREATE INDEX standings_from ON standings (from_us);
