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

-- Runs before this step kept how many records they rejected, and no keys. A full
-- refresh that left nothing out ended what runs before it had rejected.
WITH refreshed AS (
  SELECT runs.connection_id, asked.value AS name, max(runs.pk) AS pk
  FROM runs, json_each(CASE WHEN json_valid(runs.streams) THEN runs.streams ELSE '[]' END) AS asked
  WHERE runs.mode = 'full_refresh' AND runs.status = 'succeeded' AND runs.narrowed = 0
    AND runs.withheld IN ('', 'null', '[]') AND runs.known_gaps IN ('', 'null', '[]')
  GROUP BY runs.connection_id, asked.value
), lost AS (
  SELECT runs.connection_id, counts.key AS name, max(json_extract(counts.value, '$.rejected')) AS most
  FROM runs, json_each(CASE WHEN json_valid(runs.result) THEN runs.result ELSE '{}' END, '$.records') AS counts
  LEFT JOIN refreshed ON refreshed.connection_id = runs.connection_id AND refreshed.name = counts.key
  WHERE runs.pk >= coalesce(refreshed.pk, 0)
  GROUP BY runs.connection_id, counts.key
)
UPDATE streams SET rejected_unlisted = coalesce(lost.most, 0) FROM lost
WHERE lost.connection_id = streams.connection_id AND lost.name = streams.name;
