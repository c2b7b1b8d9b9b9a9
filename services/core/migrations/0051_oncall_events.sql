-- Events that on-call schedules select by name: service levels, certificates, overdue updates, drafts.
ALTER TABLE oncall_schedules ADD COLUMN events text[] NOT NULL DEFAULT '{}';

ALTER TABLE oncall_alerts DROP CONSTRAINT oncall_alerts_source_check;
ALTER TABLE oncall_alerts ADD CONSTRAINT oncall_alerts_source_check
  CHECK (source IN ('monitor', 'incident', 'sla', 'certificate', 'incident-draft'));

UPDATE outbox_consumer SET kinds = kinds || '{sla.at-risk,sla.breached,sla.recovered,sla.response-breached,sla.resolution-breached,certificate.expiring,incident.update-overdue,incident-draft.created,incident-draft.publishing,incident-draft.closed}'::text[]
  WHERE consumer = 'core-oncall';
