-- Components with their history, incidents, subscribers and status pages.

CREATE TABLE components (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  version int NOT NULL DEFAULT 1,
  type text NOT NULL CHECK (type IN ('SERVICE', 'ENDPOINT')),
  name text NOT NULL,
  description text,
  is_enabled boolean NOT NULL,
  is_muted boolean NOT NULL,
  parent_component_id uuid,
  icon text,
  show_icon_on_status_page boolean NOT NULL,
  "order" int NOT NULL,
  managed_by_config boolean NOT NULL DEFAULT false,
  -- Settings of the check; headers hold the sealed secrets. Null unless ENDPOINT. Here and below json,
  -- not jsonb: it keeps the order of fields, so that what is sent back unchanged compares as equal.
  endpoint json CHECK ((endpoint IS NOT NULL) = (type = 'ENDPOINT')),
  -- One claim a source that has something to say; status, source and time of the one that is shown.
  claims jsonb NOT NULL,
  status text NOT NULL CHECK (status IN ('operational', 'degraded_performance', 'partial_outage',
    'major_outage', 'under_maintenance')),
  status_source text NOT NULL CHECK (status_source IN ('manual', 'monitor', 'incident',
    'maintenance', 'config')),
  status_changed_at timestamptz(3) NOT NULL,
  -- Newest fact of the monitor that was taken: older ones change nothing.
  monitor_version int NOT NULL DEFAULT 0,
  average_response_time double precision,
  last_check_at timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id),
  FOREIGN KEY (organization_id, parent_component_id) REFERENCES components (organization_id, id)
);
-- tenant components
CREATE INDEX ON components (organization_id, "order", name, id);
CREATE INDEX ON components (organization_id, parent_component_id);

-- What was shown when; gapless from the component's creation, the last one open.
CREATE TABLE component_status_intervals (
  organization_id uuid NOT NULL,
  component_id uuid NOT NULL,
  started_at timestamptz(3) NOT NULL,
  ended_at timestamptz(3) CHECK (ended_at > started_at),
  status text NOT NULL,
  source text NOT NULL,
  PRIMARY KEY (organization_id, component_id, started_at),
  FOREIGN KEY (organization_id, component_id) REFERENCES components (organization_id, id)
    ON DELETE CASCADE
);
-- tenant component_status_intervals
CREATE UNIQUE INDEX component_status_intervals_open
  ON component_status_intervals (organization_id, component_id) WHERE ended_at IS NULL;

CREATE TABLE incidents (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  version int NOT NULL,
  title text NOT NULL,
  status text NOT NULL CHECK (status IN ('investigating', 'identified', 'monitoring', 'resolved')),
  impact text NOT NULL CHECK (impact IN ('minor', 'major', 'critical')),
  message text NOT NULL,
  source text NOT NULL CHECK (source IN ('manual', 'api', 'monitor')),
  is_auto_created boolean NOT NULL,
  trigger_component_id uuid,
  auto_resolved boolean NOT NULL,
  started_at timestamptz(3) NOT NULL,
  resolved_at timestamptz(3) CHECK ((resolved_at IS NOT NULL) = (status = 'resolved')),
  reopened_at timestamptz(3),
  reopen_count int NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id)
);
-- tenant incidents
CREATE INDEX ON incidents (organization_id, created_at DESC, id DESC);
CREATE INDEX ON incidents (organization_id, created_at DESC) WHERE status <> 'resolved';
CREATE INDEX ON incidents (organization_id, created_at DESC) WHERE is_auto_created;

-- Incidents outlive their components: name and status are the last known ones.
CREATE TABLE incident_components (
  organization_id uuid NOT NULL,
  incident_id uuid NOT NULL,
  component_id uuid NOT NULL,
  position int NOT NULL,
  name text NOT NULL,
  status text NOT NULL,
  -- Brought in by its checks, which have not recovered yet.
  is_failing boolean NOT NULL DEFAULT false,
  PRIMARY KEY (organization_id, incident_id, component_id),
  FOREIGN KEY (organization_id, incident_id) REFERENCES incidents (organization_id, id)
    ON DELETE CASCADE
);
-- tenant incident_components
CREATE INDEX ON incident_components (organization_id, component_id);

CREATE TABLE incident_updates (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  incident_id uuid NOT NULL,
  -- The incident's version that it made: the order of updates.
  incident_version int NOT NULL,
  status text NOT NULL,
  message text NOT NULL,
  component_statuses jsonb NOT NULL,
  by_person boolean NOT NULL,
  display_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, incident_id, incident_version),
  FOREIGN KEY (organization_id, incident_id) REFERENCES incidents (organization_id, id)
    ON DELETE CASCADE
);
-- tenant incident_updates

CREATE TABLE status_pages (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  version int NOT NULL,
  name text NOT NULL,
  slug text NOT NULL CONSTRAINT status_pages_slug UNIQUE,
  description text,
  is_published boolean NOT NULL,
  visibility text NOT NULL CHECK (visibility = 'public'),
  components json NOT NULL,
  theme json NOT NULL,
  logo_url text,
  logo_dark_url text,
  favicon_url text,
  homepage_url text,
  support_url text,
  timezone text NOT NULL,
  locale text NOT NULL,
  uptime_days int NOT NULL,
  incident_history_days int NOT NULL,
  show_uptime_percentage boolean NOT NULL,
  allow_indexing boolean NOT NULL,
  allow_feeds boolean NOT NULL,
  allow_email_subscribers boolean NOT NULL,
  allow_sms_subscribers boolean NOT NULL,
  allow_webhook_subscribers boolean NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id)
);
-- tenant status_pages

CREATE TABLE subscribers (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  version int NOT NULL,
  type text NOT NULL CHECK (type IN ('email', 'sms', 'webhook')),
  -- Mailbox, number or URL; the digest makes it short enough for an index.
  address text NOT NULL,
  address_digest text NOT NULL,
  webhook_secret text,
  component_ids uuid[] NOT NULL,
  events text[] NOT NULL,
  status_page_id uuid,
  status text NOT NULL CHECK (status IN ('unconfirmed', 'active', 'unsubscribed', 'quarantined')),
  status_reason text,
  source text NOT NULL CHECK (source IN ('self_signup', 'api', 'import')),
  -- Consent: who said so is `source`; null while it is not given or has been withdrawn.
  consented_at timestamptz(3),
  confirmed_at timestamptz(3),
  unsubscribed_at timestamptz(3),
  last_notified_at timestamptz(3),
  manage_token_digest text NOT NULL CONSTRAINT subscribers_manage_token UNIQUE,
  manage_token text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id),
  CONSTRAINT subscribers_address
    UNIQUE NULLS NOT DISTINCT (organization_id, type, address_digest, status_page_id),
  FOREIGN KEY (organization_id, status_page_id) REFERENCES status_pages (organization_id, id)
);
-- tenant subscribers
CREATE INDEX ON subscribers (organization_id, created_at DESC, id DESC);

-- Finding the organization of a public request: by slug, by the token in a mail.
GRANT SELECT (organization_id, id, slug, is_published) ON status_pages TO core_lookup;
CREATE POLICY lookup ON status_pages FOR SELECT TO core_lookup USING (true);
GRANT SELECT (organization_id, id, manage_token_digest) ON subscribers TO core_lookup;
CREATE POLICY lookup ON subscribers FOR SELECT TO core_lookup USING (true);

INSERT INTO outbox_consumer (consumer, kinds) VALUES
  ('core-components', '{check.summarised}'),
  ('core-incidents', '{monitor.down,monitor.degraded,monitor.recovered}'),
  ('core-subscribers', '{subscriber.unsubscribed,subscriber.quarantined}');
