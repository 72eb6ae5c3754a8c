-- What the clock of whoever writes has shown: one row.
CREATE TABLE clock (
  id BIGINT PRIMARY KEY, -- 1
  latest_us BIGINT NOT NULL, -- the latest moment since it last went back
  back_us BIGINT NOT NULL, -- when it was seen to have gone back, by the clock of then; 0: never
  by_us BIGINT NOT NULL -- by how much
);
