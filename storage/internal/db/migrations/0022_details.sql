-- The keys under which a collector's runs delivered details, deletions included: its
-- outbox hands the records on, and a run may still say that it knows one unchanged.
-- Empty in a host's own store, whose records are there.
CREATE TABLE delivered_keys (
  stream_id INTEGER NOT NULL REFERENCES streams (id),
  key TEXT NOT NULL,
  PRIMARY KEY (stream_id, key)
) WITHOUT ROWID;

-- How often a run asked for the detail of a served gap in vain since it was last
-- recovered. An attempt that a bound of its run cut is none.
ALTER TABLE gaps ADD COLUMN failures BIGINT NOT NULL DEFAULT 0;
UPDATE gaps SET failures = attempt_count WHERE class = 'detail_keeps_failing';
