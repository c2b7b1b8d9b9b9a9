-- Organizations that were deleted: the row drives the deletion of this service's rows, and stays as a
-- tombstone, so that an event that arrives late writes nothing. It holds no name.
CREATE TABLE erasure (
  organization_id uuid PRIMARY KEY,
  requested_at timestamptz(3) NOT NULL DEFAULT now(),
  -- When the next batch is due.
  next_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Since when nothing was found to delete; null after a batch that deleted rows.
  empty_since timestamptz(3),
  deleted_rows bigint NOT NULL DEFAULT 0,
  completed_at timestamptz(3)
);
CREATE INDEX ON erasure (next_at);
