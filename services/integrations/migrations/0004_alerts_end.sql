-- Firing alerts that nobody repeats any more are found by when they were last heard of.
CREATE INDEX ON alert_signals (updated_at) WHERE status = 'firing';
