-- The folders that the connection's runs have read, by root name: another
-- folder under the same name would look as if everything in the first had
-- vanished.
ALTER TABLE connections ADD COLUMN read_roots TEXT NOT NULL DEFAULT '{}';
