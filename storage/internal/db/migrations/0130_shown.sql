-- The hash of what a client showed for a token: it may show it again for a minute, since the answer may have been
-- lost. '': it may not.
ALTER TABLE grant_tokens ADD COLUMN shown_sha256 TEXT NOT NULL DEFAULT '';
ALTER TABLE grant_refreshes ADD COLUMN shown_sha256 TEXT NOT NULL DEFAULT '';
ALTER TABLE tokens ADD COLUMN shown_sha256 TEXT NOT NULL DEFAULT '';
CREATE INDEX grant_tokens_by_shown ON grant_tokens (shown_sha256);
CREATE INDEX grant_refreshes_by_shown ON grant_refreshes (shown_sha256);
