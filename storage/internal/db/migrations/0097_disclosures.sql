-- What readers were told: a row for each read, and sums that stay when the rows go. No column
-- holds a value of a record, a word that was searched, or a token.
CREATE TABLE disclosures (
  seq INTEGER PRIMARY KEY,
  at_us BIGINT NOT NULL,
  request_id TEXT NOT NULL,
  token_id TEXT NOT NULL, -- of this host's, and no secret
  grant_id TEXT NOT NULL DEFAULT '', -- '': the owner's token
  client_id TEXT NOT NULL DEFAULT '',
  route TEXT NOT NULL,
  streams TEXT NOT NULL, -- with commas between
  parameters TEXT NOT NULL, -- their names, with commas between
  records BIGINT NOT NULL,
  bytes BIGINT NOT NULL,
  status BIGINT NOT NULL,
  code TEXT NOT NULL DEFAULT '', -- of a refusal
  took_us BIGINT NOT NULL
);
CREATE INDEX disclosures_by_time ON disclosures (at_us);
CREATE INDEX disclosures_by_grant ON disclosures (grant_id, seq);

CREATE TABLE disclosure_days (
  grant_id TEXT NOT NULL,
  stream TEXT NOT NULL,
  day BIGINT NOT NULL, -- since 1970, in UTC
  reads BIGINT NOT NULL,
  records BIGINT NOT NULL,
  last_us BIGINT NOT NULL,
  PRIMARY KEY (grant_id, stream, day)
);

ALTER TABLE grants ADD COLUMN hourly_bytes BIGINT NOT NULL DEFAULT 0; -- that may be read by it; 0: the usual
