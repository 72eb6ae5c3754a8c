-- What a device declared when it enrolled: the part of its source that it collects,
-- as JSON; '' for all of it.
ALTER TABLE source_instances ADD COLUMN scope TEXT NOT NULL DEFAULT '';

-- The last delivery that was refused, until one is taken; refused_us 0: none is.
ALTER TABLE source_instances ADD COLUMN refused_us BIGINT NOT NULL DEFAULT 0;
ALTER TABLE source_instances ADD COLUMN refused_code TEXT NOT NULL DEFAULT '';
ALTER TABLE source_instances ADD COLUMN refused_says TEXT NOT NULL DEFAULT '';

-- When another manifest took the place of the one before, 0: never; and one that
-- adds streams, until the owner accepts it.
ALTER TABLE source_instances ADD COLUMN replaced_us BIGINT NOT NULL DEFAULT 0;
ALTER TABLE source_instances ADD COLUMN offered_us BIGINT NOT NULL DEFAULT 0;
ALTER TABLE source_instances ADD COLUMN offered_module TEXT NOT NULL DEFAULT '';
ALTER TABLE source_instances ADD COLUMN offered_manifest TEXT NOT NULL DEFAULT '';
