-- What owners are told of, and by which channels. A channel's address and secrets are
-- sealed.
CREATE TABLE notice_channels (
  id TEXT PRIMARY KEY, -- ordered by time
  kind TEXT NOT NULL, -- web_push, email, service
  name TEXT NOT NULL, -- the owner's
  target TEXT NOT NULL, -- what may be shown of its address
  sealed BLOB NOT NULL,
  created_us BIGINT NOT NULL,
  sent_us BIGINT NOT NULL DEFAULT 0, -- 0: never
  failed_us BIGINT NOT NULL DEFAULT 0, -- 0: it works
  failures BIGINT NOT NULL DEFAULT 0, -- since it worked
  code TEXT NOT NULL DEFAULT '', -- of the last failure
  next_us BIGINT NOT NULL DEFAULT 0 -- until then it is left alone
);

-- What lasts that owners are told of: once, and once a day.
CREATE TABLE notice_episodes (
  connection_id TEXT NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
  identity TEXT NOT NULL,
  began_us BIGINT NOT NULL,
  sent_us BIGINT NOT NULL, -- 0: not yet
  PRIMARY KEY (connection_id, identity)
);

-- What is on its way to a channel.
CREATE TABLE notices (
  id TEXT PRIMARY KEY, -- ordered by time
  channel_id TEXT NOT NULL REFERENCES notice_channels (id) ON DELETE CASCADE,
  connection_id TEXT NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
  identity TEXT NOT NULL,
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  created_us BIGINT NOT NULL,
  attempts BIGINT NOT NULL DEFAULT 0,
  claimed BIGINT NOT NULL DEFAULT 0 -- 1: an attempt goes on
);
CREATE INDEX notices_by_channel ON notices (channel_id, id);
CREATE INDEX notices_by_connection ON notices (connection_id);

CREATE TABLE notice_settings (
  name TEXT PRIMARY KEY, -- 'owner': a host has one
  quiet_from BIGINT NOT NULL DEFAULT 0, -- minutes of the day
  quiet_until BIGINT NOT NULL DEFAULT 0, -- equal: no hour is quiet
  zone TEXT NOT NULL DEFAULT '', -- of these; '': UTC
  tells_over BIGINT NOT NULL DEFAULT 0,
  push_key BLOB, -- sealed: the key that Web Push is signed with
  push_public TEXT NOT NULL DEFAULT '', -- its public part
  place BIGINT NOT NULL DEFAULT 0, -- of the last change that was looked at
  looked_us BIGINT NOT NULL DEFAULT 0
);
