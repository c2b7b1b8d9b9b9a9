-- Maintenances are told to subscribers.

INSERT INTO outbox_consumer (consumer, kinds) VALUES
  ('notifier-maintenances', ARRAY['maintenance.scheduled', 'maintenance.started', 'maintenance.updated',
    'maintenance.completed', 'maintenance.reminder']);
