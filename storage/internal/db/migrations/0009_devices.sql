-- Machines that deliver to this host. token_sha256 is of the one credential that
-- a device has; used_us is when it was first shown.
CREATE TABLE devices (
  id TEXT PRIMARY KEY,
  token_sha256 TEXT NOT NULL UNIQUE,
  used_us BIGINT NOT NULL,
  label TEXT NOT NULL,
  agent_version TEXT NOT NULL,
  created_us BIGINT NOT NULL,
  heard_us BIGINT NOT NULL,
  revoked_us BIGINT NOT NULL
);

-- Codes that the owner made, each good for one device. source_id is of the one
-- that it became, '' before.
CREATE TABLE enrollment_codes (
  code_sha256 TEXT PRIMARY KEY,
  connector TEXT NOT NULL,
  binding TEXT NOT NULL,
  display_name TEXT NOT NULL,
  label TEXT NOT NULL,
  source_id TEXT NOT NULL,
  created_us BIGINT NOT NULL,
  expires_us BIGINT NOT NULL
);

-- What is collected on a device, and the connection that it feeds. heartbeat is
-- the last one, received at heard_us.
CREATE TABLE source_instances (
  id TEXT PRIMARY KEY,
  device_id TEXT NOT NULL REFERENCES devices (id),
  connection_id TEXT NOT NULL REFERENCES connections (id),
  connector TEXT NOT NULL,
  binding TEXT NOT NULL,
  manifest_sha256 TEXT NOT NULL,
  heard_us BIGINT NOT NULL,
  heartbeat TEXT NOT NULL,
  created_us BIGINT NOT NULL
);
CREATE INDEX source_instances_by_connection ON source_instances (connection_id);
CREATE INDEX source_instances_by_device ON source_instances (device_id);
CREATE INDEX source_instances_by_binding ON source_instances (connector, binding);

-- Every delivery that was taken: the same one again gets the same answer, and
-- another one under its name none.
CREATE TABLE device_batches (
  device_id TEXT NOT NULL,
  batch_id TEXT NOT NULL,
  source_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  body_sha256 TEXT NOT NULL,
  seq BIGINT NOT NULL,
  accepted BIGINT NOT NULL,
  at_us BIGINT NOT NULL,
  PRIMARY KEY (device_id, batch_id)
);

-- Every end of a run that was taken, likewise.
CREATE TABLE device_commits (
  source_id TEXT NOT NULL,
  commit_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  envelope_sha256 TEXT NOT NULL,
  event_id TEXT NOT NULL,
  at_us BIGINT NOT NULL,
  PRIMARY KEY (source_id, commit_id)
);

-- Artifacts, by what they hold.
CREATE TABLE device_blobs (
  connection_id TEXT NOT NULL REFERENCES connections (id),
  sha256 TEXT NOT NULL,
  media_type TEXT NOT NULL,
  data BLOB NOT NULL,
  at_us BIGINT NOT NULL,
  PRIMARY KEY (connection_id, sha256)
);
