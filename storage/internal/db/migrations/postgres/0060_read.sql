-- The read state: what lists, searches and heat maps are answered from. All of it follows
-- from the records, behind their change sequence; emptying these tables loses nothing.
CREATE TABLE read_position (
  id bigint PRIMARY KEY, -- 1
  indexed_seq bigint NOT NULL -- the records up to this change are in the tables below
);
INSERT INTO read_position (id, indexed_seq) VALUES (1, 0);

CREATE TABLE read_streams (
  stream_id bigint PRIMARY KEY,
  module_sha256 text COLLATE "C" NOT NULL, -- the accepted module that the declaration was read from
  declaration_sha256 text COLLATE "C" NOT NULL, -- what of it the rows below were made by
  generation bigint NOT NULL, -- how often they were made anew
  building_after text COLLATE "C" -- they are being made anew, behind this key; NULL: they are not
);

CREATE TABLE read_rows (
  stream_id bigint NOT NULL,
  key text COLLATE "C" NOT NULL,
  seq bigint NOT NULL, -- of the record when it was indexed
  sort bytea NOT NULL,
  day bigint NOT NULL, -- since 1970, UTC
  docs bigint NOT NULL, -- how many documents of it read_fts has
  PRIMARY KEY (stream_id, key)
);

CREATE TABLE read_order (
  stream_id bigint NOT NULL,
  sort bytea NOT NULL, -- compares as the cursor_field does
  key text COLLATE "C" NOT NULL,
  PRIMARY KEY (stream_id, sort, key)
);

CREATE TABLE read_days (
  stream_id bigint NOT NULL,
  day bigint NOT NULL,
  records bigint NOT NULL,
  PRIMARY KEY (stream_id, day)
);

-- One document a field of a record; docid is the record's seq * 256 + the field's number.
-- The words are folded and split before they come here; the scope is among them.
CREATE TABLE read_fts (
  docid bigint PRIMARY KEY,
  words tsvector NOT NULL
);
CREATE INDEX read_fts_by_word ON read_fts USING gin (words);

-- Keys that nobody outside this store needs, such as that of page cursors.
CREATE TABLE server_keys (
  name text COLLATE "C" PRIMARY KEY,
  secret bytea NOT NULL,
  created_us bigint NOT NULL
);
