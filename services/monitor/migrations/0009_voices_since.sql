-- Since when each location was heard of without a break: only one that spoke all the while can say that
-- another is silent. After a rest of all, as after an outage of Postgres, nobody can.
ALTER TABLE location_heard ADD COLUMN since timestamptz NOT NULL DEFAULT now();
