-- Windows to the millisecond: a count stands under the last moment of its sixtieth of the window, so
-- that nobody waits longer than the window. `rate_counters` held whole sixtieths; replicas of the former
-- release still count there while they are replaced, a later release drops it.
CREATE UNLOGGED TABLE rate_windows (
  key text PRIMARY KEY,
  window_ms int NOT NULL,
  capacity int NOT NULL,
  -- Milliseconds of the database's clock, oldest first.
  times bigint[] NOT NULL,
  counts int[] NOT NULL,
  -- What the last charge was given; it only carries the answer to RETURNING.
  granted int NOT NULL,
  expires_at timestamptz NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX ON rate_windows (expires_at);

-- Forgets what has left the window, then adds under the present moment what still fits.
CREATE FUNCTION charge_window(
  old_times bigint[], old_counts int[], at bigint, window_ms int, capacity int, amount int,
  OUT times bigint[], OUT counts int[], OUT granted int
) LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  total int;
  part_ms bigint := ceil(window_ms / 60.0);
  newest int;
BEGIN
  SELECT coalesce(array_agg(t ORDER BY t), '{}'), coalesce(array_agg(c ORDER BY t), '{}'),
         coalesce(sum(c), 0)
    INTO times, counts, total
    FROM unnest(old_times, old_counts) AS live (t, c) WHERE t > at - window_ms;
  granted := greatest(0, least(amount, capacity - total));
  IF granted > 0 THEN
    newest := cardinality(times);
    -- A clock that stepped back charges the newest moment: a window never runs backwards.
    IF times[newest] / part_ms >= at / part_ms THEN
      times[newest] := greatest(times[newest], at);
      counts[newest] := counts[newest] + granted;
    ELSE
      times := times || at;
      counts := counts || granted;
    END IF;
  END IF;
END $$;
GRANT EXECUTE ON FUNCTION charge_window(bigint[], int[], bigint, int, int, int) TO gateway;

-- The update is for SKIP LOCKED: retention never waits for a counter in use.
GRANT SELECT (key, expires_at), UPDATE (granted), DELETE ON rate_windows TO gateway_due;
