-- Where a request or a registration came from, as it is counted: an address, or the /64 of one of IPv6; '': the owner's
-- own machine, or a version that did not keep it.
ALTER TABLE grant_requests ADD COLUMN came_from TEXT NOT NULL DEFAULT '';
ALTER TABLE clients ADD COLUMN came_from TEXT NOT NULL DEFAULT '';
