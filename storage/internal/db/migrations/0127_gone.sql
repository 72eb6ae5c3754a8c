-- The gaps of a connection that were given up: those whose items are gone or forbidden at the
-- provider are looked for as each run begins.
CREATE INDEX gaps_given_up ON gaps (connection_id, class, created_us, id) WHERE status = 'terminal';
