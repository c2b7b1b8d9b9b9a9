-- Subscribers that core has not been notified of: told_subscribers took the place of this column.
ALTER TABLE destinations DROP COLUMN unsummarised_at;
