-- Git sync: the repository of an organization, what each sync of it did, and the bells that were heard.

CREATE TABLE git_syncs (
  organization_id uuid NOT NULL UNIQUE,
  id uuid PRIMARY KEY,
  -- Of the webhook's URL: random, so that nobody guesses it.
  hook_id text NOT NULL UNIQUE,
  provider text NOT NULL CHECK (provider IN ('github', 'gitlab', 'bitbucket', 'generic')),
  repository_url text NOT NULL,
  branch text NOT NULL,
  config_path text NOT NULL,
  auth_method text NOT NULL CHECK (auth_method IN ('none', 'token', 'ssh_key', 'app')),
  auto_sync boolean NOT NULL,
  write_back boolean NOT NULL,
  -- Sealed for `git`: JSON of the method's fields.
  credential text,
  -- Sealed for `git`, bound to another record than the credential.
  webhook_secret text NOT NULL,
  previous_webhook_secret text,
  previous_secret_until timestamptz(3),
  last_sync_at timestamptz(3),
  last_sync_status text,
  -- What the branch was at the last look, and the object id of the document that was applied last.
  last_commit text,
  applied_blob text,
  next_poll_at timestamptz(3),
  -- When changes made by other ways are to be looked for; null while nothing may have changed.
  write_back_due_at timestamptz(3),
  proposal jsonb,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id)
);
CREATE INDEX git_syncs_poll ON git_syncs (next_poll_at) WHERE next_poll_at IS NOT NULL;
CREATE INDEX git_syncs_write_back ON git_syncs (write_back_due_at) WHERE write_back_due_at IS NOT NULL;
-- tenant git_syncs

CREATE TABLE git_sync_runs (
  organization_id uuid NOT NULL,
  id uuid PRIMARY KEY,
  git_sync_id uuid NOT NULL,
  status text NOT NULL CHECK (status IN ('queued', 'running', 'success', 'no_changes', 'failed')),
  trigger text NOT NULL CHECK (trigger IN ('manual', 'webhook', 'poll')),
  commit text,
  config_version text,
  created_count int NOT NULL DEFAULT 0,
  updated_count int NOT NULL DEFAULT 0,
  deleted_count int NOT NULL DEFAULT 0,
  reason text,
  error text,
  -- Whoever runs it until then; afterwards anybody may take it over.
  owner uuid,
  lease_until timestamptz(3),
  attempts int NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  finished_at timestamptz(3),
  UNIQUE (organization_id, id),
  FOREIGN KEY (organization_id, git_sync_id) REFERENCES git_syncs (organization_id, id) ON DELETE CASCADE,
  CHECK ((finished_at IS NULL) = (status IN ('queued', 'running'))),
  CHECK ((lease_until IS NOT NULL) = (status = 'running'))
);
-- One runs and one waits in an organization.
CREATE UNIQUE INDEX git_sync_runs_open ON git_sync_runs (organization_id, status)
  WHERE status IN ('queued', 'running');
CREATE INDEX git_sync_runs_due ON git_sync_runs (created_at) WHERE status IN ('queued', 'running');
CREATE INDEX git_sync_runs_history ON git_sync_runs (organization_id, created_at, id);
CREATE INDEX git_sync_runs_age ON git_sync_runs (created_at);
-- tenant git_sync_runs

-- Deliveries that were heard, by the provider's id.
CREATE TABLE git_hook_receipts (
  organization_id uuid NOT NULL,
  key text NOT NULL,
  at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, key)
);
CREATE INDEX git_hook_receipts_age ON git_hook_receipts (at);
-- tenant git_hook_receipts

CREATE POLICY due ON git_syncs TO config_sync_due USING (true);
GRANT SELECT (organization_id, id, credential, webhook_secret, previous_webhook_secret, auto_sync, write_back,
    next_poll_at, write_back_due_at),
  UPDATE (credential, webhook_secret, previous_webhook_secret, next_poll_at, write_back_due_at)
  ON git_syncs TO config_sync_due;
CREATE POLICY due ON git_sync_runs TO config_sync_due USING (true);
GRANT SELECT (organization_id, id, status, owner, lease_until, attempts, created_at),
  UPDATE (status, owner, lease_until, attempts), DELETE ON git_sync_runs TO config_sync_due;
CREATE POLICY due ON git_hook_receipts TO config_sync_due USING (true);
GRANT SELECT (at), DELETE ON git_hook_receipts TO config_sync_due;
-- A hook names itself and no organization.
CREATE POLICY lookup ON git_syncs FOR SELECT TO config_sync_lookup USING (true);
GRANT SELECT (hook_id, organization_id) ON git_syncs TO config_sync_lookup;

INSERT INTO outbox_consumer (consumer, kinds) VALUES
  ('config-sync-write-back', '{component.created,component.updated,component.deleted,integration.created,integration.updated,integration.deleted}');
