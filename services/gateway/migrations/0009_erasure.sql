-- Deletion of organizations and accounts: asked for, taken back or carried out, with a receipt of each
-- service; and what may be deleted then.

ALTER TABLE organizations
  ADD COLUMN deletion_requested_at timestamptz(3),
  ADD COLUMN deletion_requested_by uuid,
  ADD COLUMN deletion_due_at timestamptz(3),
  -- From then on nothing is served any more, and nothing can be taken back.
  ADD COLUMN deletion_started_at timestamptz(3),
  ADD CHECK ((deletion_requested_at IS NULL) = (deletion_due_at IS NULL)),
  ADD CHECK (deletion_started_at IS NULL OR deletion_due_at IS NOT NULL);
CREATE INDEX ON organizations (deletion_due_at) WHERE deletion_due_at IS NOT NULL;

-- Outlives the organization: ids and counts only.
CREATE TABLE erasure_receipts (
  organization_id uuid NOT NULL,
  service text NOT NULL,
  deleted_rows bigint NOT NULL,
  completed_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, service)
);
-- tenant erasure_receipts

-- A slug is never reused: of one that was deleted a digest is left.
CREATE TABLE retired_slugs (slug_digest text PRIMARY KEY);
REVOKE ALL ON retired_slugs FROM gateway;
GRANT SELECT, INSERT ON retired_slugs TO gateway;

GRANT SELECT (organization_id, completed_at) ON erasure TO gateway_due;
GRANT SELECT (organization_id) ON erasure TO gateway_lookup;

GRANT SELECT (deletion_started_at) ON organizations TO gateway_lookup;
GRANT SELECT (id, deletion_due_at, deletion_started_at) ON organizations TO gateway_due;
CREATE POLICY due ON organizations FOR SELECT TO gateway_due USING (true);
GRANT SELECT (organization_id, service) ON erasure_receipts TO gateway_due;
CREATE POLICY due ON erasure_receipts FOR SELECT TO gateway_due USING (true);

-- The row goes last, and only after every other row of this service.
GRANT DELETE ON organizations TO gateway;
CREATE POLICY erased ON organizations AS RESTRICTIVE FOR DELETE TO gateway
  USING (EXISTS (SELECT FROM erasure e
    WHERE e.organization_id = organizations.id AND e.completed_at IS NOT NULL));

-- Audit entries are deleted before their time with their organization only.
DROP POLICY young ON audit_log;
CREATE POLICY young ON audit_log AS RESTRICTIVE FOR DELETE TO gateway_due
  USING (occurred_at < now() - interval '30 days'
    OR EXISTS (SELECT FROM erasure e WHERE e.organization_id = audit_log.organization_id));
CREATE POLICY erased ON audit_log TO gateway_due
  USING (EXISTS (SELECT FROM erasure e WHERE e.organization_id = audit_log.organization_id));

-- Accounts go with their last organization, or by themselves.
GRANT DELETE ON users TO gateway_lookup;
GRANT SELECT (id), DELETE ON memberships TO gateway_lookup;
CREATE POLICY erasure ON memberships FOR DELETE TO gateway_lookup USING (true);

INSERT INTO outbox_consumer (consumer, kinds) VALUES ('gateway-erasure', '{erasure.completed}');
