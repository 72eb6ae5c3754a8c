CREATE TABLE enumerations (
  id bigint PRIMARY KEY,
  stream_id bigint NOT NULL,
  part text COLLATE "C" NOT NULL,
  generation bigint NOT NULL,
  begun_by text COLLATE "C" NOT NULL,
  open bigint NOT NULL,
  spoiled text COLLATE "C" NOT NULL,
  UNIQUE (stream_id, part)
);

CREATE TABLE marks (
  enumeration_id bigint NOT NULL,
  key text COLLATE "C" NOT NULL,
  stream_id bigint NOT NULL,
  generation bigint NOT NULL,
  PRIMARY KEY (enumeration_id, key)
) WITH (fillfactor = 70);
CREATE INDEX marks_by_key ON marks (stream_id, key) WHERE stream_id > 0;
