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

-- When a record was emitted, in UTC, without the Z and the zeros at its end, which compares as the moments do; FF: nothing tells.
ALTER TABLE read_rows ADD COLUMN emitted BLOB NOT NULL DEFAULT X'FF';
UPDATE read_rows SET emitted = coalesce((SELECT CAST(CASE WHEN instr(r.emitted_at, '.') > 0 THEN rtrim(rtrim(rtrim(r.emitted_at, 'Z'), '0'), '.') ELSE rtrim(r.emitted_at, 'Z') END AS BLOB)
FROM records AS r WHERE r.stream_id = read_rows.stream_id AND r.key = read_rows.key AND r.emitted_at GLOB '????-??-??T??:??:??*Z'), X'FF');
CREATE INDEX read_rows_by_emitted ON read_rows (stream_id, emitted, key);

-- Streams whose declarations may name relations are made anew, and so are those with times of another zone.
UPDATE read_streams SET building_after = '', generation = generation + 1
WHERE stream_id IN (SELECT s.id FROM streams AS s JOIN connections AS c ON c.id = s.connection_id WHERE instr(c.pinned_manifest, '"expand"') > 0)
OR stream_id IN (SELECT stream_id FROM read_rows WHERE emitted = X'FF');
