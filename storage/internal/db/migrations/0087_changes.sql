-- What the feed of changes needs besides: since when each field of a record is as it is, and
-- when records lived that changed their time or went. It follows the change sequence as the
-- rest of the read state does, but for what was before it was made: whoever asks for
-- changes since then begins again.
ALTER TABLE read_position ADD COLUMN epoch BIGINT NOT NULL DEFAULT 0; -- another one each time that the read state was emptied
UPDATE read_position SET epoch = random();

ALTER TABLE read_rows ADD COLUMN born_seq BIGINT NOT NULL DEFAULT 0; -- the change with which its life began; 0: made by an older program
ALTER TABLE read_rows ADD COLUMN born_us BIGINT NOT NULL DEFAULT 0; -- when that was emitted
ALTER TABLE read_rows ADD COLUMN since_seq BIGINT NOT NULL DEFAULT 0; -- since when it has its time
ALTER TABLE read_rows ADD COLUMN time BLOB; -- its consent_time_field, as it compares; NULL: the stream has none
ALTER TABLE read_rows ADD COLUMN fields BLOB NOT NULL DEFAULT X''; -- keyed hashes of its fields, each with the change that made it

-- For each live record, the changes that one of its fields, or its life, dates from.
CREATE TABLE read_changes (
  stream_id INTEGER NOT NULL,
  seq BIGINT NOT NULL,
  key TEXT NOT NULL,
  PRIMARY KEY (stream_id, seq)
) WITHOUT ROWID;

-- Spans of changes in which a record lived with one time. They end where it went or got
-- another time, and are removed once nobody may ask for changes since then.
CREATE TABLE read_past (
  stream_id INTEGER NOT NULL,
  until_seq BIGINT NOT NULL, -- not included
  key TEXT NOT NULL,
  from_seq BIGINT NOT NULL,
  time BLOB,
  until_us BIGINT NOT NULL, -- when the change at its end was emitted
  indexed_us BIGINT NOT NULL,
  PRIMARY KEY (stream_id, until_seq)
) WITHOUT ROWID;
CREATE INDEX read_past_by_key ON read_past (stream_id, key, until_seq);
CREATE INDEX read_past_by_time ON read_past (indexed_us);
