-- Events that channels select by name: service levels, certificates, overdue updates, drafts.

INSERT INTO outbox_consumer (consumer, kinds) VALUES
  ('notifier-named-events', ARRAY['sla.at-risk', 'sla.breached', 'sla.recovered',
    'sla.response-breached', 'sla.resolution-breached', 'certificate.expiring',
    'incident-draft.created', 'incident-draft.publishing']);
UPDATE outbox_consumer SET kinds = array_append(kinds, 'incident.update-overdue')
  WHERE consumer = 'notifier-deliveries';
