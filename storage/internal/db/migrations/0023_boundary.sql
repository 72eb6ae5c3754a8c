-- The part of its source that a run of a collector kept to, as device.Scope.Fingerprint
-- names it, and the one under which a confirmed cursor was collected; '': not known.
ALTER TABLE runs ADD COLUMN boundary TEXT NOT NULL DEFAULT '';
ALTER TABLE confirmed_states ADD COLUMN boundary TEXT NOT NULL DEFAULT '';
