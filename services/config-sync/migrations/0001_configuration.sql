-- Documents that were applied, applies that are under way, and the variables that documents name.

-- By the facts of the gateway; the slug is part of the names of the operator's variables.
CREATE TABLE organizations (
  organization_id uuid PRIMARY KEY,
  slug text NOT NULL,
  version int NOT NULL
);
-- tenant organizations

CREATE TABLE variables (
  organization_id uuid NOT NULL,
  id uuid PRIMARY KEY,
  name text NOT NULL CHECK (name ~ '^[A-Z][A-Z0-9_]{0,63}$'),
  -- Sealed for `variable`.
  sealed_value text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id),
  UNIQUE (organization_id, name)
);
-- tenant variables
GRANT SELECT (organization_id, id, sealed_value), UPDATE (sealed_value) ON variables TO config_sync_due;
CREATE POLICY due ON variables TO config_sync_due USING (true);

CREATE TABLE configuration_versions (
  organization_id uuid NOT NULL,
  id uuid PRIMARY KEY,
  name text NOT NULL,
  config_version text NOT NULL,
  document text NOT NULL,
  source text NOT NULL CHECK (source IN ('api', 'git', 'rollback')),
  commit text,
  rollback_of uuid,
  applied_by uuid,
  created_count int NOT NULL,
  updated_count int NOT NULL,
  deleted_count int NOT NULL,
  created_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id)
);
CREATE INDEX ON configuration_versions (organization_id, created_at DESC, id DESC);
-- tenant configuration_versions

-- The journal: an apply that touches two services is finished or undone by whoever finds it here.
CREATE TABLE applies (
  organization_id uuid NOT NULL,
  id uuid PRIMARY KEY,
  state text NOT NULL CHECK (state IN ('planning', 'planned', 'integrations_saved',
    'components_changed', 'undoing', 'done', 'undone', 'abandoned')),
  -- Whoever works on it until then; afterwards anybody may take it over.
  owner uuid NOT NULL,
  lease_until timestamptz(3) NOT NULL,
  actor jsonb NOT NULL,
  -- Batches, their inverse and the version to come, while it is open; secrets inside are sealed. json, not
  -- jsonb: it keeps the order of fields.
  work json,
  error text,
  created_at timestamptz(3) NOT NULL,
  finished_at timestamptz(3),
  UNIQUE (organization_id, id),
  CHECK ((finished_at IS NULL) = (state IN ('planning', 'planned', 'integrations_saved',
    'components_changed', 'undoing')))
);
-- One at a time in an organization.
CREATE UNIQUE INDEX applies_open ON applies (organization_id) WHERE finished_at IS NULL;
CREATE INDEX ON applies (lease_until) WHERE finished_at IS NULL;
-- tenant applies
GRANT SELECT (organization_id, id, lease_until, finished_at), UPDATE (owner, lease_until)
  ON applies TO config_sync_due;
CREATE POLICY due ON applies TO config_sync_due USING (true);

INSERT INTO outbox_consumer (consumer, kinds) VALUES
  ('config-sync-organizations', '{organization.created,organization.updated}');
