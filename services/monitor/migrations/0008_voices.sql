-- When a replica of each location was alive last: a location that nobody checks from any more has no
-- say in what the locations of a target say together.
CREATE TABLE location_heard (
  location text PRIMARY KEY,
  heard_at timestamptz NOT NULL
) WITH (fillfactor = 50);

GRANT SELECT ON location_heard TO monitor_due;
GRANT SELECT (derived_status, held_until) ON target_verdicts TO monitor_due;
