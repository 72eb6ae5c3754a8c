-- What requests that may come again were answered. No column holds a secret: an answer that
-- has one is kept without its body.
CREATE TABLE answers (
  key_sha256 TEXT PRIMARY KEY, -- of the key that the client chose, of whom it speaks for, and of the path
  request_sha256 TEXT NOT NULL, -- of the same, and of the body
  status BIGINT NOT NULL, -- of HTTP; 0: it was not answered so far
  body TEXT NOT NULL, -- JSON; '': it is not kept
  at_us BIGINT NOT NULL
);
CREATE INDEX answers_by_time ON answers (at_us);
