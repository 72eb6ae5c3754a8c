-- What a browser reaches the server at, as in http://127.0.0.1:8377; '': it listens nowhere, or has not said so.
ALTER TABLE serving ADD COLUMN origin text COLLATE "C" NOT NULL DEFAULT '';
