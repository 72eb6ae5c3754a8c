-- How often the folders and options of a connection were changed: an edit that began with an
-- earlier number is refused.
ALTER TABLE connections ADD COLUMN revision BIGINT NOT NULL DEFAULT 0;
