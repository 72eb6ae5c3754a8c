-- The documents of a search are numbered the other way round, so that the newest one has the lowest
-- number, and have a word for their stream: the read state is made anew.
TRUNCATE read_fts, read_rows, read_order, read_links, read_blobs, read_days, read_changes, read_past, read_streams;
UPDATE read_position SET indexed_seq = 0, epoch = epoch + 1;
