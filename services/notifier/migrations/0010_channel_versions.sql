-- Channels are stated to other services, which keep copies; an older version never replaces a newer one.

ALTER TABLE notification_channels ADD COLUMN version int NOT NULL DEFAULT 1;
