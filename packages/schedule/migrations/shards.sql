-- Tables of createShards; each service that uses it copies them into its migration. They hold no
-- data of tenants and have no row-level security. All times are those of the database's clock.
-- One row per replica, renewed every two seconds: the lease of all shards that it owns.
CREATE TABLE replica (
  id uuid PRIMARY KEY,
  location text NOT NULL,
  expires_at timestamptz NOT NULL
);

CREATE TABLE shard_lease (
  location text NOT NULL,
  shard smallint NOT NULL CHECK (shard BETWEEN 0 AND 255),
  -- Null while the shard is free. A graceful stop deletes the row of the replica, which releases
  -- its shards.
  owner uuid REFERENCES replica ON DELETE SET NULL,
  -- Increases with every claim.
  epoch bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (location, shard)
);
