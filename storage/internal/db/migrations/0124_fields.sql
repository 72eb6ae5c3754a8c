-- Which fields of a connection's records carry data, in the last runs that had enough of them.
ALTER TABLE books ADD COLUMN fields TEXT NOT NULL DEFAULT ''; -- JSON: their names, by stream
