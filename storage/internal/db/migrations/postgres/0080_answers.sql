CREATE TABLE answers (
  key_sha256 text COLLATE "C" PRIMARY KEY,
  request_sha256 text COLLATE "C" NOT NULL,
  status bigint NOT NULL,
  body text COLLATE "C" NOT NULL,
  at_us bigint NOT NULL
);
CREATE INDEX answers_by_time ON answers (at_us);
