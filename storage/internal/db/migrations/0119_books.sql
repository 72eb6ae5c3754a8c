-- What became of the files of a connection's folders in the last run that looked at all of
-- them, and which of them its owner has said are not for it.
CREATE TABLE books (
  connection_id TEXT PRIMARY KEY REFERENCES connections (id) ON DELETE CASCADE,
  begun_ms BIGINT NOT NULL DEFAULT 0, -- when that run began; 0: there was none
  unread TEXT NOT NULL DEFAULT '', -- JSON: the files that nothing explains
  beyond BIGINT NOT NULL DEFAULT 0, -- how many more there are
  read_nothing BIGINT NOT NULL DEFAULT 0, -- 1: the run read no file
  ignores TEXT NOT NULL DEFAULT '' -- JSON: patterns of the owner's
);
