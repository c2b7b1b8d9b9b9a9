-- Schema of config-sync: applied documents, applies in progress, variables of documents, and Git
-- sync.

-- Organizations ---------------------------------------------------------------

-- Projection of the gateway's organizations. The slug is part of the names of the operator's
-- variables.
CREATE TABLE organizations (
  organization_id uuid PRIMARY KEY,
  slug text NOT NULL,
  version int NOT NULL
);
-- tenant organizations

-- Configuration ---------------------------------------------------------------

CREATE TABLE variables (
  organization_id uuid NOT NULL,
  id uuid PRIMARY KEY,
  name text NOT NULL CHECK (name ~ '^[A-Z][A-Z0-9_]{0,63}$'),
  -- Encrypted for the purpose `variable`.
  sealed_value text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id),
  UNIQUE (organization_id, name)
);
-- tenant variables
-- Key rotation encrypts the values of all organizations again.
CREATE POLICY due ON variables TO config_sync_due USING (true);
GRANT SELECT (organization_id, id, sealed_value), UPDATE (sealed_value) ON variables
  TO config_sync_due;

CREATE TABLE configuration_versions (
  organization_id uuid NOT NULL,
  id uuid PRIMARY KEY,
  name text NOT NULL,
  config_version text NOT NULL,
  document text NOT NULL,
  source text NOT NULL CHECK (length(source) <= 32),
  commit text,
  rollback_of uuid,
  applied_by uuid,
  created_count int NOT NULL,
  updated_count int NOT NULL,
  deleted_count int NOT NULL,
  created_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id)
);
-- tenant configuration_versions
CREATE INDEX ON configuration_versions (organization_id, created_at DESC, id DESC);

-- Journal of applies: an apply changes three services, so a crashed one is completed or undone from
-- here.
CREATE TABLE applies (
  organization_id uuid NOT NULL,
  id uuid PRIMARY KEY,
  state text NOT NULL CHECK (length(state) <= 32),
  -- Holder of the lease; after `lease_until` any replica may take over.
  owner uuid NOT NULL,
  lease_until timestamptz(3) NOT NULL,
  actor jsonb NOT NULL,
  -- Batches, their inverse and the next version, while the apply is open; secrets inside are
  -- encrypted. json, not jsonb: json preserves the order of fields.
  work json,
  error text,
  created_at timestamptz(3) NOT NULL,
  finished_at timestamptz(3),
  UNIQUE (organization_id, id),
  CHECK ((finished_at IS NULL) = (state IN ('planning', 'planned', 'integrations_saved',
    'channels_saved', 'components_changed', 'integrations_removed', 'undoing_channels',
    'undoing')))
);
-- tenant applies
-- At most one open apply per organization.
CREATE UNIQUE INDEX applies_open ON applies (organization_id) WHERE finished_at IS NULL;
CREATE INDEX ON applies (lease_until) WHERE finished_at IS NULL;
CREATE POLICY due ON applies TO config_sync_due USING (true);
GRANT SELECT (organization_id, id, lease_until, finished_at), UPDATE (owner, lease_until) ON applies
  TO config_sync_due;

-- Git sync --------------------------------------------------------------------

CREATE TABLE git_syncs (
  organization_id uuid NOT NULL UNIQUE,
  id uuid PRIMARY KEY,
  -- Random part of the webhook's URL; it cannot be guessed.
  hook_id text NOT NULL UNIQUE,
  provider text NOT NULL CHECK (length(provider) <= 32),
  repository_url text NOT NULL,
  branch text NOT NULL,
  config_path text NOT NULL,
  auth_method text NOT NULL CHECK (length(auth_method) <= 32),
  auto_sync boolean NOT NULL,
  write_back boolean NOT NULL,
  -- JSON of the method's fields, encrypted for the purpose `git`.
  credential text,
  -- Encrypted for the purpose `git`, bound to another record than the credential.
  webhook_secret text NOT NULL,
  previous_webhook_secret text,
  previous_secret_until timestamptz(3),
  last_sync_at timestamptz(3),
  last_sync_status text,
  -- Head of the branch at the last poll.
  last_commit text,
  -- Git object id of the document that was applied last.
  applied_blob text,
  next_poll_at timestamptz(3),
  -- Time to compare the repository with changes made through the API; null while nothing changed.
  write_back_due_at timestamptz(3),
  proposal jsonb,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id)
);
-- tenant git_syncs
CREATE INDEX git_syncs_poll ON git_syncs (next_poll_at) WHERE next_poll_at IS NOT NULL;
CREATE INDEX git_syncs_write_back ON git_syncs (write_back_due_at)
  WHERE write_back_due_at IS NOT NULL;
CREATE POLICY due ON git_syncs TO config_sync_due USING (true);
GRANT SELECT (organization_id, id, credential, webhook_secret, previous_webhook_secret, auto_sync,
    write_back, next_poll_at, write_back_due_at),
  UPDATE (credential, webhook_secret, previous_webhook_secret, next_poll_at, write_back_due_at)
  ON git_syncs TO config_sync_due;
-- A webhook request names its hook and no organization.
CREATE POLICY lookup ON git_syncs FOR SELECT TO config_sync_lookup USING (true);
GRANT SELECT (hook_id, organization_id) ON git_syncs TO config_sync_lookup;

CREATE TABLE git_sync_runs (
  organization_id uuid NOT NULL,
  id uuid PRIMARY KEY,
  git_sync_id uuid NOT NULL,
  status text NOT NULL CHECK (length(status) <= 32),
  trigger text NOT NULL CHECK (length(trigger) <= 32),
  commit text,
  config_version text,
  created_count int NOT NULL DEFAULT 0,
  updated_count int NOT NULL DEFAULT 0,
  deleted_count int NOT NULL DEFAULT 0,
  reason text,
  error text,
  -- Holder of the lease; after `lease_until` any replica may take over.
  owner uuid,
  lease_until timestamptz(3),
  attempts int NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  finished_at timestamptz(3),
  UNIQUE (organization_id, id),
  FOREIGN KEY (organization_id, git_sync_id) REFERENCES git_syncs (organization_id, id)
    ON DELETE CASCADE,
  CHECK ((finished_at IS NULL) = (status IN ('queued', 'running'))),
  CHECK ((lease_until IS NOT NULL) = (status = 'running'))
);
-- tenant git_sync_runs
-- At most one running and one queued sync per organization.
CREATE UNIQUE INDEX git_sync_runs_open ON git_sync_runs (organization_id, status)
  WHERE status IN ('queued', 'running');
CREATE INDEX git_sync_runs_due ON git_sync_runs (created_at) WHERE status IN ('queued', 'running');
CREATE INDEX git_sync_runs_history ON git_sync_runs (organization_id, created_at, id);
CREATE INDEX git_sync_runs_age ON git_sync_runs (created_at);
CREATE POLICY due ON git_sync_runs TO config_sync_due USING (true);
GRANT SELECT (organization_id, id, status, owner, lease_until, attempts, created_at),
  UPDATE (status, owner, lease_until, attempts), DELETE ON git_sync_runs TO config_sync_due;

-- Webhook deliveries that were accepted, by the provider's id: a repeated delivery starts no sync.
CREATE TABLE git_hook_receipts (
  organization_id uuid NOT NULL,
  key text NOT NULL,
  at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, key)
);
-- tenant git_hook_receipts
CREATE INDEX git_hook_receipts_age ON git_hook_receipts (at);
CREATE POLICY due ON git_hook_receipts TO config_sync_due USING (true);
GRANT SELECT (at), DELETE ON git_hook_receipts TO config_sync_due;

-- Consumed events -------------------------------------------------------------

INSERT INTO outbox_consumer (consumer, kinds) VALUES
  ('config-sync-organizations', '{organization.created,organization.updated}'),
  ('config-sync-write-back', ARRAY['component.created', 'component.updated', 'component.deleted',
    'integration.created', 'integration.updated', 'integration.deleted',
    'status-page.created', 'status-page.updated', 'status-page.deleted', 'definition.changed',
    'notification-channel.created', 'notification-channel.updated',
    'notification-channel.deleted']),
  ('config-sync-erasure', '{organization.deleted}'),
  ('config-sync-erased-addresses', '{subscriber.erased,account.erased}');
