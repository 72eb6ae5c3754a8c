-- The documents of a search are numbered the other way round, so that the newest one has the lowest
-- number, and have a word for their stream: the read state is made anew.
INSERT INTO read_fts (read_fts) VALUES ('delete-all');
DELETE FROM read_rows;
DELETE FROM read_order;
DELETE FROM read_links;
DELETE FROM read_blobs;
DELETE FROM read_days;
DELETE FROM read_changes;
DELETE FROM read_past;
DELETE FROM read_streams;
UPDATE read_position SET indexed_seq = 0, epoch = epoch + 1;
