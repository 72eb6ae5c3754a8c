-- The pending gaps of a connection that may be tried at once, in the order in which
-- they are leased, with what a lease leaves out of them; and those that wait.
CREATE INDEX gaps_ready ON gaps (connection_id, attempt_count, created_us, id, stream, last_run_id) WHERE status = 'pending' AND next_attempt_us = 0;
CREATE INDEX gaps_waiting ON gaps (connection_id, next_attempt_us) WHERE status = 'pending' AND next_attempt_us > 0;
-- Those that a run has, of every stream.
CREATE INDEX gaps_leased ON gaps (connection_id, status) WHERE status = 'in_progress';
DROP INDEX gaps_by_status;
-- The open gaps of a reason, newest first: what a cooldown is worked out from.
CREATE INDEX gaps_open_newest ON gaps (connection_id, reason, max(last_attempt_us, created_us)) WHERE status IN ('pending', 'in_progress');
-- Gaps oldest first: a connection's, and those that a run found or dealt with last.
CREATE INDEX gaps_by_age ON gaps (connection_id, created_us, id);
CREATE INDEX gaps_by_run ON gaps (last_run_id, created_us, id);
CREATE INDEX gaps_by_finder ON gaps (discovered_run_id, created_us, id);
-- Those that a run recovered go with it.
CREATE INDEX gaps_recovered ON gaps (recovered_run_id) WHERE status = 'recovered';

-- How far the retention of history has looked, by the run's pk: the runs up to there
-- that are left are those that the evidence still needs. And how many details were
-- recovered whose rows are gone.
ALTER TABLE connections ADD COLUMN pruned_to BIGINT NOT NULL DEFAULT 0;
ALTER TABLE connections ADD COLUMN recovered_pruned BIGINT NOT NULL DEFAULT 0;
