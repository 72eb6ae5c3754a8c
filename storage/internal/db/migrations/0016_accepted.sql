-- What the owner of a connection accepted by name beside its module: a JSON array of
-- {"kind", "name"}.
ALTER TABLE connections ADD COLUMN accepted TEXT NOT NULL DEFAULT '[]';
