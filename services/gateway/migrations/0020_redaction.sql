-- The audit log is append-only but for one thing: personal texts are taken out of it. One batch a call;
-- row-level security binds the function to the organization of the transaction.
CREATE FUNCTION redact_audit(entities text[], person uuid, address text, batch_rows int)
RETURNS int LANGUAGE plpgsql SECURITY DEFINER SET search_path = gateway, pg_temp AS $$
DECLARE changed int;
BEGIN
  WITH matching AS (
    SELECT organization_id, id FROM audit_log
    WHERE organization_id = nullif(current_setting('app.org', true), '')::uuid
      AND (entity_id = ANY (entities) AND entity_name IS NOT NULL
        OR user_id = person AND (ip_address IS NOT NULL OR user_agent IS NOT NULL)
        OR strpos(entity_name, address) > 0 OR strpos(changes::text, address) > 0)
    LIMIT batch_rows)
  UPDATE audit_log a SET
    entity_name = CASE WHEN a.entity_id = ANY (entities) OR strpos(a.entity_name, address) > 0
      THEN NULL ELSE a.entity_name END,
    changes = replace(a.changes::text, address, '[erased]')::jsonb,
    ip_address = CASE WHEN a.user_id = person THEN NULL ELSE a.ip_address END,
    user_agent = CASE WHEN a.user_id = person THEN NULL ELSE a.user_agent END
  FROM matching m WHERE a.organization_id = m.organization_id AND a.id = m.id;
  GET DIAGNOSTICS changed = ROW_COUNT;
  RETURN changed;
END $$;
REVOKE ALL ON FUNCTION redact_audit FROM PUBLIC;
GRANT EXECUTE ON FUNCTION redact_audit TO gateway;

INSERT INTO outbox_consumer (consumer, kinds)
  VALUES ('gateway-erased-addresses', '{subscriber.erased}');
