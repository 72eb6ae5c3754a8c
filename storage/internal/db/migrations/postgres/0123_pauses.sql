-- Until when a connection's provider wants no request, and what its runs have learned of its
-- pace: written when a run learns it, since the run may be killed before it ends.
CREATE TABLE pauses (
  connection_id text COLLATE "C" PRIMARY KEY REFERENCES connections (id) ON DELETE CASCADE,
  run_id text COLLATE "C" NOT NULL, -- the run that learned it
  reason text COLLATE "C" NOT NULL,
  at_us bigint NOT NULL,
  until_us bigint NOT NULL, -- no run asks before; 0: any may
  learned text COLLATE "C" NOT NULL -- JSON of the send governor: the pauses of single lanes, and the pace
);
