-- Records that failed their schema and that no run has delivered since, each by
-- the first 16 bytes of its key's SHA-256. run_pk is the last run that rejected it.
CREATE TABLE rejected_records (
  stream_id INTEGER NOT NULL,
  key_sha256 BLOB NOT NULL,
  run_pk BIGINT NOT NULL,
  PRIMARY KEY (stream_id, key_sha256)
);

-- rejected counts a stream's rows of rejected_records. rejected_unlisted counts the
-- rejected records that are not listed there: the most of one run.
ALTER TABLE streams ADD COLUMN rejected BIGINT NOT NULL DEFAULT 0;
ALTER TABLE streams ADD COLUMN rejected_unlisted BIGINT NOT NULL DEFAULT 0;

-- Runs before this step kept how many records they rejected, and no keys.
UPDATE streams SET rejected_unlisted = coalesce((
  SELECT max(json_extract(counts.value, '$.rejected'))
  FROM runs, json_each(CASE WHEN json_valid(runs.result) THEN runs.result ELSE '{}' END, '$.records') AS counts
  WHERE runs.connection_id = streams.connection_id AND counts.key = streams.name
    AND runs.pk >= coalesce((
      SELECT max(whole.pk) FROM runs AS whole
      WHERE whole.connection_id = streams.connection_id AND whole.mode = 'full_refresh' AND whole.status = 'succeeded'), 0)
), 0);
