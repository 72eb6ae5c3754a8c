ALTER TABLE connections ADD COLUMN revision bigint NOT NULL DEFAULT 0;
