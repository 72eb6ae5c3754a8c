CREATE TABLE notice_channels (
  id text COLLATE "C" PRIMARY KEY,
  kind text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  target text COLLATE "C" NOT NULL,
  sealed bytea NOT NULL,
  created_us bigint NOT NULL,
  sent_us bigint NOT NULL DEFAULT 0,
  failed_us bigint NOT NULL DEFAULT 0,
  failures bigint NOT NULL DEFAULT 0,
  code text COLLATE "C" NOT NULL DEFAULT '',
  next_us bigint NOT NULL DEFAULT 0
);
CREATE TABLE notice_episodes (
  connection_id text COLLATE "C" NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
  identity text COLLATE "C" NOT NULL,
  began_us bigint NOT NULL,
  sent_us bigint NOT NULL,
  PRIMARY KEY (connection_id, identity)
);
CREATE TABLE notices (
  id text COLLATE "C" PRIMARY KEY,
  channel_id text COLLATE "C" NOT NULL REFERENCES notice_channels (id) ON DELETE CASCADE,
  connection_id text COLLATE "C" NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
  identity text COLLATE "C" NOT NULL,
  title text COLLATE "C" NOT NULL,
  body text COLLATE "C" NOT NULL,
  created_us bigint NOT NULL,
  attempts bigint NOT NULL DEFAULT 0,
  claimed bigint NOT NULL DEFAULT 0
);
CREATE INDEX notices_by_channel ON notices (channel_id, id);
CREATE INDEX notices_by_connection ON notices (connection_id);
CREATE TABLE notice_settings (
  name text COLLATE "C" PRIMARY KEY,
  quiet_from bigint NOT NULL DEFAULT 0,
  quiet_until bigint NOT NULL DEFAULT 0,
  zone text COLLATE "C" NOT NULL DEFAULT '',
  tells_over bigint NOT NULL DEFAULT 0,
  push_key bytea,
  push_public text COLLATE "C" NOT NULL DEFAULT '',
  place bigint NOT NULL DEFAULT 0,
  looked_us bigint NOT NULL DEFAULT 0
);
