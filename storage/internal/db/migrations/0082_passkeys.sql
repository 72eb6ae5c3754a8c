-- The passkeys with which the owner signs in. A public key is no secret; its private key
-- never leaves the owner's device.
CREATE TABLE passkeys (
  id TEXT PRIMARY KEY,
  credential BLOB NOT NULL UNIQUE, -- the id that the device gave it
  public_key BLOB NOT NULL, -- COSE
  party TEXT NOT NULL, -- the host name that it was made for
  name TEXT NOT NULL, -- as its owner called it
  flags BIGINT NOT NULL, -- the device's word on itself when it was made
  uses BIGINT NOT NULL, -- the device's counter when it was used last; 0: it has none
  created_us BIGINT NOT NULL,
  used_us BIGINT NOT NULL DEFAULT 0 -- 0: never
);
