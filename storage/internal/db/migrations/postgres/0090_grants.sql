-- Who may read what, and who asked for it. No column holds a token, a polling code or the
-- address of a request: only the hash of each.
CREATE TABLE clients (
  id text COLLATE "C" PRIMARY KEY,
  name text COLLATE "C" NOT NULL, -- as the client calls itself, which nobody has verified
  created_us bigint NOT NULL
);

CREATE TABLE grant_requests (
  id text COLLATE "C" PRIMARY KEY,
  uri_sha256 text COLLATE "C" NOT NULL UNIQUE, -- of the secret part of its request_uri
  polling_sha256 text COLLATE "C" UNIQUE, -- of the code that its client asks with; NULL: nobody waits
  token_sha256 text COLLATE "C" NOT NULL DEFAULT '', -- of the token that this code leads to
  code text COLLATE "C" NOT NULL DEFAULT '', -- what the client shows beside it, to be compared
  client_id text COLLATE "C" NOT NULL,
  client_name text COLLATE "C" NOT NULL,
  details text COLLATE "C" NOT NULL, -- JSON, as it was asked for; '': its owner chooses
  created_us bigint NOT NULL,
  expires_us bigint NOT NULL,
  revision text COLLATE "C" NOT NULL DEFAULT '', -- of the review that may be approved
  review text COLLATE "C" NOT NULL DEFAULT '', -- JSON: what was reviewed last
  state text COLLATE "C" NOT NULL, -- pending, approved, denied
  decided_us bigint NOT NULL DEFAULT 0,
  grant_id text COLLATE "C" NOT NULL DEFAULT '', -- that it led to
  taken_us bigint NOT NULL DEFAULT 0 -- when its client was given the token; 0: never
);
CREATE INDEX grant_requests_by_time ON grant_requests (expires_us);
CREATE INDEX grant_requests_by_client ON grant_requests (client_id);

CREATE TABLE grants (
  id text COLLATE "C" PRIMARY KEY,
  request_id text COLLATE "C" NOT NULL UNIQUE, -- one decision leads to one grant
  client_id text COLLATE "C" NOT NULL,
  document text COLLATE "C" NOT NULL, -- JSON; it never changes
  sha256 text COLLATE "C" NOT NULL, -- of the document
  review text COLLATE "C" NOT NULL, -- JSON: what its owner approved
  declaration_sha256 text COLLATE "C" NOT NULL, -- of the manifest that it was read by
  issued_us bigint NOT NULL,
  expires_us bigint NOT NULL DEFAULT 0, -- 0: never
  revoked_us bigint NOT NULL DEFAULT 0 -- 0: it holds
);
CREATE INDEX grants_by_client ON grants (client_id);

CREATE TABLE grant_tokens (
  id text COLLATE "C" PRIMARY KEY,
  sha256 text COLLATE "C" NOT NULL UNIQUE,
  grant_id text COLLATE "C" NOT NULL,
  created_us bigint NOT NULL,
  expires_us bigint NOT NULL,
  used_us bigint NOT NULL DEFAULT 0 -- to the hour; 0: never
);
CREATE INDEX grant_tokens_by_grant ON grant_tokens (grant_id);

-- The manifests that grants were read by.
CREATE TABLE declarations (
  sha256 text COLLATE "C" PRIMARY KEY,
  manifest text COLLATE "C" NOT NULL
);
