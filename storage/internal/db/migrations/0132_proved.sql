-- When the owner of a session proved by a password or a passkey that it is theirs; 0: not since this column is there.
ALTER TABLE sessions ADD COLUMN proved_us INTEGER NOT NULL DEFAULT 0;
