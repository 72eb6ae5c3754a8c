-- How many records a list had when it was begun, and what the runs before have found gone that was
-- too much to go: a hash of the keys, in how many runs, and when the last one that counts opened the list.
ALTER TABLE enumerations ADD COLUMN held bigint NOT NULL DEFAULT 0;
ALTER TABLE enumerations ADD COLUMN answer text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE enumerations ADD COLUMN answers bigint NOT NULL DEFAULT 0;
ALTER TABLE enumerations ADD COLUMN answered_us bigint NOT NULL DEFAULT 0;
UPDATE enumerations SET held = coalesce((SELECT live FROM streams WHERE id = enumerations.stream_id), 0) WHERE open = 1;
