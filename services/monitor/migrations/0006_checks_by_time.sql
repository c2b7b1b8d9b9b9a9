-- Lists go by the time at which a check was begun. Its slot may lie an interval before that: the first
-- check of a new target, and what is made up after a pause.
CREATE INDEX ON checks (organization_id, component_id, checked_at, id);
