-- Counters of whole sixtieths of a window: rate_windows took their place.
DROP TABLE rate_counters;
DROP FUNCTION charge_window(bigint[], int[], bigint, int, int);
