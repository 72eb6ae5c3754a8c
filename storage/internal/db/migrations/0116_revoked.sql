ALTER TABLE connections ADD COLUMN revoked_us BIGINT NOT NULL DEFAULT 0; -- since when its owner lets nothing of it run; 0: they have not said so
ALTER TABLE disclosures ADD COLUMN connections TEXT NOT NULL DEFAULT ''; -- whose records were told, with commas between
