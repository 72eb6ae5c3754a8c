-- Until when a connection's provider wants no request, and what its runs have learned of its
-- pace: written when a run learns it, since the run may be killed before it ends.
CREATE TABLE pauses (
  connection_id TEXT PRIMARY KEY REFERENCES connections (id) ON DELETE CASCADE,
  run_id TEXT NOT NULL, -- the run that learned it
  reason TEXT NOT NULL,
  at_us BIGINT NOT NULL,
  until_us BIGINT NOT NULL, -- no run asks before; 0: any may
  learned TEXT NOT NULL -- JSON of the send governor: the pauses of single lanes, and the pace
);
