-- What a client calls itself in one request, beside client_name, by which it is registered; '': the same.
ALTER TABLE grant_requests ADD COLUMN client_display TEXT NOT NULL DEFAULT '';
