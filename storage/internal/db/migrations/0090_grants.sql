-- Who may read what, and who asked for it. No column holds a token, a polling code or the
-- address of a request: only the hash of each.
CREATE TABLE clients (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL, -- as the client calls itself, which nobody has verified
  created_us BIGINT NOT NULL
);

CREATE TABLE grant_requests (
  id TEXT PRIMARY KEY,
  uri_sha256 TEXT NOT NULL UNIQUE, -- of the secret part of its request_uri
  polling_sha256 TEXT UNIQUE, -- of the code that its client asks with; NULL: nobody waits
  token_sha256 TEXT NOT NULL DEFAULT '', -- of the token that this code leads to
  code TEXT NOT NULL DEFAULT '', -- what the client shows beside it, to be compared
  client_id TEXT NOT NULL,
  client_name TEXT NOT NULL,
  details TEXT NOT NULL, -- JSON, as it was asked for; '': its owner chooses
  created_us BIGINT NOT NULL,
  expires_us BIGINT NOT NULL,
  revision TEXT NOT NULL DEFAULT '', -- of the review that may be approved
  review TEXT NOT NULL DEFAULT '', -- JSON: what was reviewed last
  state TEXT NOT NULL, -- pending, approved, denied
  decided_us BIGINT NOT NULL DEFAULT 0,
  grant_id TEXT NOT NULL DEFAULT '', -- that it led to
  taken_us BIGINT NOT NULL DEFAULT 0 -- when its client was given the token; 0: never
);
CREATE INDEX grant_requests_by_time ON grant_requests (expires_us);
CREATE INDEX grant_requests_by_client ON grant_requests (client_id);

CREATE TABLE grants (
  id TEXT PRIMARY KEY,
  request_id TEXT NOT NULL UNIQUE, -- one decision leads to one grant
  client_id TEXT NOT NULL,
  document TEXT NOT NULL, -- JSON; it never changes
  sha256 TEXT NOT NULL, -- of the document
  review TEXT NOT NULL, -- JSON: what its owner approved
  declaration_sha256 TEXT NOT NULL, -- of the manifest that it was read by
  issued_us BIGINT NOT NULL,
  expires_us BIGINT NOT NULL DEFAULT 0, -- 0: never
  revoked_us BIGINT NOT NULL DEFAULT 0 -- 0: it holds
);
CREATE INDEX grants_by_client ON grants (client_id);

CREATE TABLE grant_tokens (
  id TEXT PRIMARY KEY,
  sha256 TEXT NOT NULL UNIQUE,
  grant_id TEXT NOT NULL,
  created_us BIGINT NOT NULL,
  expires_us BIGINT NOT NULL,
  used_us BIGINT NOT NULL DEFAULT 0 -- to the hour; 0: never
);
CREATE INDEX grant_tokens_by_grant ON grant_tokens (grant_id);

-- The manifests that grants were read by.
CREATE TABLE declarations (
  sha256 TEXT PRIMARY KEY,
  manifest TEXT NOT NULL
);
