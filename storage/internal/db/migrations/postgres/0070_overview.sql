-- The connections that interrupt their owner, without counting through those that do not.
CREATE INDEX standings_needing ON standings (tone DESC, connection_id) WHERE channel = 'attention';
-- How the runs of some days came out.
CREATE INDEX runs_by_day ON runs (connection_id, started_us, status);
