-- Personal texts leave the audit log page by page: a statement reads a bounded number of entries, however
-- many the organization has. Returns the id of the last entry of the page, or null after the last page.
DROP FUNCTION redact_audit;
CREATE FUNCTION redact_audit(
  entities text[], person uuid, address text, pattern text, after_id uuid, page_rows int)
RETURNS uuid LANGUAGE plpgsql SECURITY DEFINER SET search_path = gateway, pg_temp AS $$
DECLARE last_id uuid;
BEGIN
  WITH page AS MATERIALIZED (
    SELECT organization_id, id FROM audit_log
    WHERE organization_id = nullif(current_setting('app.org', true), '')::uuid AND id > after_id
    ORDER BY id LIMIT page_rows),
  changed AS (UPDATE audit_log a SET
      entity_name = CASE WHEN a.entity_id = ANY (entities) OR a.entity_name ~* pattern
        THEN NULL ELSE a.entity_name END,
      changes = regexp_replace(a.changes::text, pattern, '[erased]', 'gi')::jsonb,
      ip_address = CASE WHEN a.user_id = person THEN NULL ELSE a.ip_address END,
      user_agent = CASE WHEN a.user_id = person THEN NULL ELSE a.user_agent END
    FROM page p WHERE a.organization_id = p.organization_id AND a.id = p.id
      AND (a.entity_id = ANY (entities) AND a.entity_name IS NOT NULL
        OR a.user_id = person AND (a.ip_address IS NOT NULL OR a.user_agent IS NOT NULL)
        OR strpos(lower(a.entity_name), lower(address)) > 0 AND a.entity_name ~* pattern
        OR strpos(lower(a.changes::text), lower(address)) > 0 AND a.changes::text ~* pattern))
  SELECT id INTO last_id FROM page ORDER BY id DESC LIMIT 1;
  RETURN last_id;
END $$;
REVOKE ALL ON FUNCTION redact_audit FROM PUBLIC;
GRANT EXECUTE ON FUNCTION redact_audit TO gateway;
