ALTER TABLE connections ADD COLUMN revoked_us bigint NOT NULL DEFAULT 0; -- since when its owner lets nothing of it run; 0: they have not said so
ALTER TABLE disclosures ADD COLUMN connections text COLLATE "C" NOT NULL DEFAULT ''; -- whose records were told, with commas between
