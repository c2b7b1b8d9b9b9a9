-- What on-call leaves behind goes after 13 months: longer than any report of a service level looks back.
CREATE INDEX oncall_alerts_resolved ON oncall_alerts (resolved_at) WHERE resolved_at IS NOT NULL;
CREATE INDEX oncall_overrides_ended ON oncall_overrides (ends_at);

GRANT SELECT (resolved_at), DELETE ON oncall_alerts TO core_due;
CREATE POLICY outlived ON oncall_alerts FOR DELETE TO core_due
  USING (resolved_at < now() - interval '13 months');
GRANT SELECT (organization_id, id, ends_at), DELETE ON oncall_overrides TO core_due;
CREATE POLICY due ON oncall_overrides FOR SELECT TO core_due USING (true);
CREATE POLICY outlived ON oncall_overrides FOR DELETE TO core_due
  USING (ends_at < now() - interval '13 months');
