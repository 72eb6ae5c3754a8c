-- Which records of a stream refer to a record of another one, by a hash of its key, in their
-- stream's order: what a relation leads to is found without a look at the stream.
CREATE TABLE read_links (
  stream_id INTEGER NOT NULL,
  link BIGINT NOT NULL, -- stands for a field's name and the key in it
  sort BLOB NOT NULL,
  key TEXT NOT NULL,
  PRIMARY KEY (stream_id, link, sort, key)
) WITHOUT ROWID;
CREATE INDEX read_links_by_record ON read_links (stream_id, key);
ALTER TABLE read_rows ADD COLUMN links BIGINT NOT NULL DEFAULT 0; -- how many rows of it read_links has

-- When a record was emitted, in UTC, without the Z and the zeros at its end, which compares as the moments do; FF: nothing tells. A
-- later step has the read state made anew.
ALTER TABLE read_rows ADD COLUMN emitted BLOB NOT NULL DEFAULT X'FF';
CREATE INDEX read_rows_by_emitted ON read_rows (stream_id, emitted, key);
