-- Two locations may be shown two certificates: each keeps the one that it saw last.
ALTER TABLE target_states ADD COLUMN certificate_expires_at timestamptz(3);
GRANT SELECT (certificate_expires_at) ON target_states TO monitor_due;

ALTER TABLE target_states NO FORCE ROW LEVEL SECURITY;
ALTER TABLE target_verdicts NO FORCE ROW LEVEL SECURITY;
UPDATE target_states s SET certificate_expires_at = v.certificate_expires_at
  FROM target_verdicts v
  WHERE v.organization_id = s.organization_id AND v.component_id = s.component_id;
-- From now on of the certificate that was warned of last, wherever it was seen.
UPDATE target_verdicts SET certificate_expires_at = NULL WHERE certificate_warned_days IS NULL;
ALTER TABLE target_verdicts FORCE ROW LEVEL SECURITY;
ALTER TABLE target_states FORCE ROW LEVEL SECURITY;
