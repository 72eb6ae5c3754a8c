-- The changes that are in the read state besides those up to indexed_seq: as FROM-TO, of which FROM
-- is not in it, with a comma between two.
ALTER TABLE read_position ADD COLUMN ahead TEXT NOT NULL DEFAULT '';
