-- A search under a grant of a time reads the newest records within it.
CREATE INDEX read_rows_by_time ON read_rows (stream_id, time) WHERE time IS NOT NULL;
