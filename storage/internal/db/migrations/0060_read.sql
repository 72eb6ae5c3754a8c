-- The read state: what lists, searches and heat maps are answered from. All of it follows
-- from the records, behind their change sequence; emptying these tables loses nothing.
CREATE TABLE read_position (
  id INTEGER PRIMARY KEY, -- 1
  indexed_seq BIGINT NOT NULL -- the records up to this change are in the tables below
);
INSERT INTO read_position (id, indexed_seq) VALUES (1, 0);

CREATE TABLE read_streams (
  stream_id INTEGER PRIMARY KEY,
  module_sha256 TEXT NOT NULL, -- the accepted module that the declaration was read from
  declaration_sha256 TEXT NOT NULL, -- what of it the rows below were made by
  generation BIGINT NOT NULL, -- how often they were made anew
  building_after TEXT -- they are being made anew, behind this key; NULL: they are not
);

CREATE TABLE read_rows (
  stream_id INTEGER NOT NULL,
  key TEXT NOT NULL,
  seq BIGINT NOT NULL, -- of the record when it was indexed
  sort BLOB NOT NULL,
  day BIGINT NOT NULL, -- since 1970, UTC
  docs BIGINT NOT NULL, -- how many documents of it read_fts has
  PRIMARY KEY (stream_id, key)
) WITHOUT ROWID;

CREATE TABLE read_order (
  stream_id INTEGER NOT NULL,
  sort BLOB NOT NULL, -- compares as the cursor_field does
  key TEXT NOT NULL,
  PRIMARY KEY (stream_id, sort, key)
) WITHOUT ROWID;

CREATE TABLE read_days (
  stream_id INTEGER NOT NULL,
  day BIGINT NOT NULL,
  records BIGINT NOT NULL,
  PRIMARY KEY (stream_id, day)
) WITHOUT ROWID;

-- One document a field of a record; its rowid is the record's seq * 256 + the field's
-- number. The words are folded and split before they come here.
CREATE VIRTUAL TABLE read_fts USING fts5(scope, body, content='', contentless_delete=1, tokenize='ascii');

-- Keys that nobody outside this store needs, such as that of page cursors.
CREATE TABLE server_keys (
  name TEXT PRIMARY KEY,
  secret BLOB NOT NULL,
  created_us BIGINT NOT NULL
);
