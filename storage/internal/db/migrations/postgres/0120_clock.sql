-- What the clock of whoever writes has shown: one row.
CREATE TABLE clock (
  id bigint PRIMARY KEY, -- 1
  latest_us bigint NOT NULL, -- the latest moment since it last went back
  back_us bigint NOT NULL, -- when it was seen to have gone back, by the clock of then; 0: never
  by_us bigint NOT NULL -- by how much
);
