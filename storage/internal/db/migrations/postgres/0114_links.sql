-- Which records of a stream refer to a record of another one, by a hash of its key, in their
-- stream's order: what a relation leads to is found without a look at the stream.
CREATE TABLE read_links (
  stream_id bigint NOT NULL,
  link bigint NOT NULL, -- stands for a field's name and the key in it
  sort bytea NOT NULL,
  key text COLLATE "C" NOT NULL,
  PRIMARY KEY (stream_id, link, sort, key)
);
CREATE INDEX read_links_by_record ON read_links (stream_id, key);
ALTER TABLE read_rows ADD COLUMN links bigint NOT NULL DEFAULT 0; -- how many rows of it read_links has

-- When a record was emitted, in UTC, without the Z and the zeros at its end, which compares as the moments do; FF: nothing tells.
ALTER TABLE read_rows ADD COLUMN emitted bytea NOT NULL DEFAULT '\xff';
UPDATE read_rows AS i SET emitted = convert_to(CASE WHEN strpos(r.emitted_at, '.') > 0 THEN rtrim(rtrim(rtrim(r.emitted_at, 'Z'), '0'), '.') ELSE rtrim(r.emitted_at, 'Z') END, 'UTF8')
FROM records AS r WHERE r.stream_id = i.stream_id AND r.key = i.key AND r.emitted_at LIKE '____-__-__T__:__:__%Z';
CREATE INDEX read_rows_by_emitted ON read_rows (stream_id, emitted, key);

-- Streams whose declarations may name relations are made anew, and so are those with times of another zone.
UPDATE read_streams SET building_after = '', generation = generation + 1
WHERE stream_id IN (SELECT s.id FROM streams AS s JOIN connections AS c ON c.id = s.connection_id WHERE strpos(c.pinned_manifest, '"expand"') > 0)
OR stream_id IN (SELECT stream_id FROM read_rows WHERE emitted = '\xff');
