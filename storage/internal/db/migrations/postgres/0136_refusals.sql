-- What was refused of a source's deliveries and none was taken of since, the last of each stream and code, as JSON; empty for nothing.
ALTER TABLE source_instances ADD COLUMN refusals text COLLATE "C" NOT NULL DEFAULT '';
