-- Whoever vacuums holds the lock that this needs, and gives the figures itself.
CREATE OR REPLACE FUNCTION look_again() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = notifier, pg_temp AS $$
BEGIN
  ANALYZE (SKIP_LOCKED) deliveries;
  ANALYZE (SKIP_LOCKED) destinations;
END $$;
