-- Which files of a connection's folders are damaged, or known and not read, in the last run that
-- looked at all of them, and which reasons to tell of it its owner's word has settled.
ALTER TABLE books ADD COLUMN amiss text COLLATE "C" NOT NULL DEFAULT ''; -- JSON
