-- Organizations: policies, roles of their own, invitations, and an audit log that answers questions.

ALTER TABLE organizations
  ADD COLUMN sso_enforced boolean NOT NULL DEFAULT false,
  ADD COLUMN allowed_email_domains text[] NOT NULL DEFAULT '{}',
  ADD COLUMN notification_limits jsonb NOT NULL DEFAULT
    '{"perChannel":10,"perSubscriber":5,"webhookPerSubscriber":10,"webhookPerOrganization":100}';

-- memberships.role and invitations.role hold a built-in name or the id of one of these; a role in use
-- is not deleted, which the lock on the organization's row makes sure of.
CREATE TABLE roles (
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  name text NOT NULL,
  description text,
  permissions text[] NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX roles_name_key ON roles (organization_id, lower(name));

CREATE TABLE invitations (
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  email text NOT NULL CHECK (email = lower(email)),
  role text NOT NULL,
  token_hash text NOT NULL UNIQUE,
  invited_by uuid REFERENCES users (id) ON DELETE SET NULL,
  expires_at timestamptz(3) NOT NULL,
  accepted_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX invitations_open_key ON invitations (organization_id, email)
  WHERE accepted_at IS NULL;
CREATE INDEX ON invitations (organization_id, created_at, id);

CREATE INDEX ON memberships (organization_id, role);
CREATE INDEX ON api_keys (organization_id, created_by);

-- A changed role asks for a new token at the next use. The one before is honoured for the few seconds
-- in which a browser may still be sending it.
ALTER TABLE sessions
  ADD COLUMN renew boolean NOT NULL DEFAULT false,
  ADD COLUMN replaced_until timestamptz(3);

-- One index a filter, each in the order of the list and of the export's pages.
DROP INDEX audit_log_organization_id_occurred_at_idx;
CREATE INDEX ON audit_log (organization_id, occurred_at, id);
CREATE INDEX ON audit_log (organization_id, action, occurred_at, id);
CREATE INDEX ON audit_log (organization_id, entity_type, occurred_at, id);
CREATE INDEX ON audit_log (organization_id, entity_id, occurred_at, id);
CREATE INDEX ON audit_log (organization_id, user_id, occurred_at, id) WHERE user_id IS NOT NULL;
CREATE INDEX ON audit_log (organization_id, api_key_id, occurred_at, id)
  WHERE api_key_id IS NOT NULL;

-- tenant roles
-- tenant invitations

CREATE POLICY lookup ON roles FOR SELECT TO gateway_lookup USING (true);
CREATE POLICY lookup ON invitations FOR SELECT TO gateway_lookup USING (true);
GRANT SELECT (organization_id, id, permissions) ON roles TO gateway_lookup;
GRANT SELECT (organization_id, id, email, token_hash, expires_at, accepted_at)
  ON invitations TO gateway_lookup;
GRANT SELECT (sso_enforced) ON organizations TO gateway_lookup;
GRANT SELECT (renew, replaced_until), UPDATE (renew, replaced_until) ON sessions TO gateway_lookup;
