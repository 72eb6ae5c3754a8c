ALTER TABLE tokens ADD COLUMN client_id text COLLATE "C" NOT NULL DEFAULT ''; -- that it was given; '': its owner made it, or an older program
