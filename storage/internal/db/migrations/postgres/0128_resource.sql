-- What a client asked to read, of the resources of this host (RFC 8707): host, mcp; '': it did not say.
ALTER TABLE grant_requests ADD COLUMN resource text NOT NULL DEFAULT '';
ALTER TABLE grants ADD COLUMN resource text NOT NULL DEFAULT '';
