-- A narrowed run left out records of the streams that it names, so that it says
-- nothing of what there is of them.
ALTER TABLE runs ADD COLUMN narrowed INTEGER NOT NULL DEFAULT 0;

-- The newest run when a dispatch was kept, by its pk; 0: there was none. It
-- orders the two, which no clock does that may be put back.
ALTER TABLE dispatches ADD COLUMN after_run BIGINT NOT NULL DEFAULT 0;
-- What a dispatch holds back, '' for nothing, see Dispatch.
ALTER TABLE dispatches ADD COLUMN holds TEXT NOT NULL DEFAULT '';
