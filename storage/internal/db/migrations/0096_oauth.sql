-- Clients that are redirected, that have a device's code typed, and that renew their tokens.
-- No column holds a code or a refresh token: only the hash of each.
ALTER TABLE clients ADD COLUMN redirects TEXT NOT NULL DEFAULT ''; -- JSON: the addresses that it may be sent back to
ALTER TABLE clients ADD COLUMN refreshes BIGINT NOT NULL DEFAULT 0; -- 1: it has registered for refresh tokens

ALTER TABLE grant_requests ADD COLUMN flow TEXT NOT NULL DEFAULT ''; -- code, device, owner (a device that asks for an owner's token); '': it polls, or nobody waits
ALTER TABLE grant_requests ADD COLUMN issuer TEXT NOT NULL DEFAULT ''; -- this host's origin, as the client knows it
ALTER TABLE grant_requests ADD COLUMN redirect_uri TEXT NOT NULL DEFAULT '';
ALTER TABLE grant_requests ADD COLUMN client_state TEXT NOT NULL DEFAULT ''; -- sent back as it came
ALTER TABLE grant_requests ADD COLUMN challenge TEXT NOT NULL DEFAULT ''; -- S256 of the verifier that its client holds
ALTER TABLE grant_requests ADD COLUMN code_sha256 TEXT; -- of the authorization code; NULL: there is none
ALTER TABLE grant_requests ADD COLUMN code_expires_us BIGINT NOT NULL DEFAULT 0;
ALTER TABLE grant_requests ADD COLUMN user_code_sha256 TEXT; -- of the code that an owner types; NULL: none
ALTER TABLE grant_requests ADD COLUMN typed_us BIGINT NOT NULL DEFAULT 0; -- when its owner typed it; 0: never
CREATE UNIQUE INDEX grant_requests_by_code ON grant_requests (code_sha256);
CREATE UNIQUE INDEX grant_requests_by_user_code ON grant_requests (user_code_sha256);

-- The refresh tokens of each grant, one generation behind the other.
CREATE TABLE grant_refreshes (
  sha256 TEXT PRIMARY KEY,
  grant_id TEXT NOT NULL,
  generation BIGINT NOT NULL,
  created_us BIGINT NOT NULL,
  expires_us BIGINT NOT NULL,
  superseded_us BIGINT NOT NULL DEFAULT 0 -- when it was used; 0: it is the newest
);
CREATE INDEX grant_refreshes_by_grant ON grant_refreshes (grant_id, expires_us);

-- When an owner typed a device's code that there was none of.
CREATE TABLE wrong_user_codes (
  id TEXT PRIMARY KEY,
  at_us BIGINT NOT NULL
);
