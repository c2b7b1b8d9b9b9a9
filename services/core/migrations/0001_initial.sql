-- Schema of core: components, incidents, maintenances, status pages, subscribers, on-call, service
-- levels and imports.

-- Components ------------------------------------------------------------------

CREATE TABLE components (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  version int NOT NULL DEFAULT 1,
  type text NOT NULL CHECK (length(type) <= 32),
  name text NOT NULL,
  description text,
  is_enabled boolean NOT NULL,
  is_muted boolean NOT NULL,
  parent_component_id uuid,
  depends_on uuid[] NOT NULL DEFAULT '{}',
  icon text,
  show_icon_on_status_page boolean NOT NULL,
  "order" int NOT NULL,
  managed_by_config boolean NOT NULL DEFAULT false,
  -- Settings of the check, with encrypted header values; null for a type without checks. json, not
  -- jsonb, here and below: json preserves the order of fields, so that an unchanged body compares
  -- as equal.
  endpoint json CHECK ((endpoint IS NOT NULL) = (type = 'ENDPOINT')),
  -- Integration and query of the metric; null unless METRIC.
  metric json CHECK ((metric IS NOT NULL) = (type = 'METRIC')),
  -- Vendor's status page that a SERVICE follows.
  upstream json CHECK (upstream IS NULL OR type = 'SERVICE'),
  -- At most one status claim per source. `status`, its source and time are those of the derived
  -- status.
  claims jsonb NOT NULL,
  status text NOT NULL CHECK (length(status) <= 32),
  status_source text NOT NULL CHECK (length(status_source) <= 32),
  status_changed_at timestamptz(3) NOT NULL,
  -- Version of the last event applied from the monitor; older events are ignored.
  monitor_version int NOT NULL DEFAULT 0,
  average_response_time double precision,
  last_check_at timestamptz(3),
  last_value double precision,
  last_value_at timestamptz(3),
  -- Latest report of the vendor, and the version of its event; older events are ignored.
  vendor_report json CHECK (vendor_report IS NULL OR upstream IS NOT NULL),
  vendor_version int NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id),
  FOREIGN KEY (organization_id, parent_component_id) REFERENCES components (organization_id, id)
);
-- tenant components
-- Lists: one index per filter in the default order, one per sort key. The array is the order of
-- the contract's enum.
CREATE INDEX ON components (organization_id, "order", name, id);
CREATE INDEX ON components (organization_id, parent_component_id, "order", name, id);
CREATE INDEX components_top_level ON components (organization_id, "order", name, id)
  WHERE parent_component_id IS NULL;
CREATE INDEX components_dependent ON components (organization_id) WHERE depends_on <> '{}';
CREATE INDEX ON components (organization_id, type, "order", name, id);
CREATE INDEX ON components (organization_id, status, "order", name, id);
CREATE INDEX components_by_status ON components (organization_id, array_position(
  '{operational,degraded_performance,partial_outage,major_outage,under_maintenance}'::text[],
  status), id);
CREATE INDEX ON components (organization_id, name, id);
CREATE INDEX ON components (organization_id, created_at, id);
CREATE INDEX ON components (organization_id, updated_at, id);
-- Key rotation encrypts the header values of all organizations again.
CREATE POLICY due ON components TO core_due USING (true);
GRANT SELECT (organization_id, id, endpoint, status, claims, is_enabled), UPDATE (endpoint)
  ON components TO core_due;

-- Outages and degradations of components with dependencies, until they end or are confirmed as ones
-- of their own.
CREATE TABLE dependent_outages (
  organization_id uuid NOT NULL,
  component_id uuid NOT NULL,
  event_id uuid NOT NULL,
  monitor_version int NOT NULL,
  monitor jsonb NOT NULL,
  cause_id uuid,
  -- Null while the cause explains the outage.
  decide_at timestamptz(3),
  PRIMARY KEY (organization_id, component_id),
  FOREIGN KEY (organization_id, component_id) REFERENCES components (organization_id, id)
    ON DELETE CASCADE
);
-- tenant dependent_outages
CREATE INDEX dependent_outages_due ON dependent_outages (decide_at);
-- The job finds organizations with due decisions or ended causes, and decides within each.
CREATE POLICY due ON dependent_outages FOR SELECT TO core_due USING (true);
GRANT SELECT (organization_id, monitor, cause_id, decide_at) ON dependent_outages TO core_due;

-- History of derived statuses: without gaps since the component's creation, the last interval
-- open.
CREATE TABLE component_status_intervals (
  organization_id uuid NOT NULL,
  component_id uuid NOT NULL,
  started_at timestamptz(3) NOT NULL,
  ended_at timestamptz(3) CHECK (ended_at > started_at),
  status text NOT NULL,
  source text NOT NULL,
  -- Status and source as recorded, where a correction by an incident replaced them.
  recorded_status text,
  recorded_source text,
  PRIMARY KEY (organization_id, component_id, started_at),
  FOREIGN KEY (organization_id, component_id) REFERENCES components (organization_id, id)
    ON DELETE CASCADE
);
-- tenant component_status_intervals
CREATE UNIQUE INDEX component_status_intervals_open
  ON component_status_intervals (organization_id, component_id) WHERE ended_at IS NULL;

-- Batches of config-sync that took effect: a batch repeated after a crash changes nothing.
CREATE TABLE component_batches (
  organization_id uuid NOT NULL,
  id uuid PRIMARY KEY,
  created_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id)
);
-- tenant component_batches

-- Projection of the integrations: a METRIC component may reference them. A removed integration
-- remains as a tombstone, so that an older event cannot restore it.
CREATE TABLE integrations (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  is_removed boolean NOT NULL,
  version int NOT NULL,
  PRIMARY KEY (organization_id, id)
);
-- tenant integrations

-- Incidents -------------------------------------------------------------------

CREATE TABLE incidents (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  version int NOT NULL,
  title text NOT NULL,
  title_folded text GENERATED ALWAYS AS (lower(title)) STORED,
  status text NOT NULL CHECK (length(status) <= 32),
  impact text NOT NULL CHECK (length(impact) <= 32),
  message text NOT NULL,
  source text NOT NULL CHECK (length(source) <= 32),
  is_auto_created boolean NOT NULL,
  trigger_component_id uuid,
  auto_resolved boolean NOT NULL,
  -- Time of the next update as announced, and whether its absence was reported: once per
  -- announcement.
  next_update_at timestamptz(3),
  overdue_notified boolean NOT NULL DEFAULT false,
  started_at timestamptz(3) NOT NULL,
  resolved_at timestamptz(3) CHECK ((resolved_at IS NOT NULL) = (status = 'resolved')),
  reopened_at timestamptz(3),
  reopen_count int NOT NULL,
  -- Entered after the fact: without effect on current statuses.
  is_backfilled boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id),
  CONSTRAINT incidents_next_update CHECK (next_update_at IS NULL OR status <> 'resolved')
);
-- tenant incidents
-- Lists are read from either end of an index; the arrays are the order of the contract's enums. A
-- search reads every title, because row-level security prevents the use of a trigram index:
-- lower-case titles in the index take a third of the time for 50,000 incidents.
CREATE INDEX ON incidents (organization_id, created_at, id) INCLUDE (title_folded);
-- The smallest index, for the total of a list: 2.7 ms of processor time for 50,000 incidents. The
-- next larger one takes 4.6 ms.
CREATE INDEX ON incidents (organization_id);
CREATE INDEX ON incidents (organization_id, updated_at, id);
CREATE INDEX ON incidents (organization_id, started_at, id);
CREATE INDEX ON incidents (organization_id, resolved_at, id);
CREATE INDEX ON incidents (organization_id, title, id);
CREATE INDEX ON incidents
  (organization_id, array_position('{minor,major,critical}'::text[], impact), id);
CREATE INDEX ON incidents (organization_id,
  array_position('{investigating,identified,monitoring,resolved}'::text[], status), id);
CREATE INDEX ON incidents (organization_id, status, created_at, id);
CREATE INDEX ON incidents (organization_id, impact, created_at, id);
CREATE INDEX ON incidents (organization_id, created_at DESC) WHERE status <> 'resolved';
CREATE INDEX incidents_open ON incidents (impact, next_update_at) WHERE status <> 'resolved';
CREATE INDEX ON incidents (organization_id, created_at DESC) WHERE is_auto_created;
CREATE INDEX incidents_due ON incidents (next_update_at)
  WHERE next_update_at IS NOT NULL AND NOT overdue_notified;
-- The job finds overdue updates across organizations, and changes each within its own. Metrics
-- count the open incidents.
CREATE POLICY due ON incidents FOR SELECT TO core_due USING (true);
GRANT SELECT (organization_id, id, status, impact, next_update_at, overdue_notified, resolved_at)
  ON incidents TO core_due;

-- Components of an incident. Incidents outlive their components: name and status are the last
-- known.
CREATE TABLE incident_components (
  organization_id uuid NOT NULL,
  incident_id uuid NOT NULL,
  component_id uuid NOT NULL,
  position int NOT NULL,
  name text NOT NULL,
  status text NOT NULL,
  -- Added by its failed checks, which have not recovered yet.
  is_failing boolean NOT NULL DEFAULT false,
  -- The outage of another component of the incident explains the one of this component.
  is_explained boolean NOT NULL DEFAULT false,
  -- Its outage opened the incident; the generated title names these components.
  is_trigger boolean NOT NULL DEFAULT false,
  -- Published pages that showed the component when it was deleted during the incident: the
  -- incident stays on them.
  retained_page_ids uuid[] NOT NULL DEFAULT '{}',
  PRIMARY KEY (organization_id, incident_id, component_id),
  FOREIGN KEY (organization_id, incident_id) REFERENCES incidents (organization_id, id)
    ON DELETE CASCADE
);
-- tenant incident_components
CREATE INDEX ON incident_components (organization_id, component_id, incident_id);
CREATE INDEX incident_components_retained ON incident_components (organization_id, incident_id)
  WHERE retained_page_ids <> '{}';

-- Corrections of the status history by incidents that were entered or changed after the fact. An
-- operational span removes recorded statuses of the incident.
CREATE TABLE incident_status_spans (
  organization_id uuid NOT NULL,
  incident_id uuid NOT NULL,
  component_id uuid NOT NULL,
  started_at timestamptz(3) NOT NULL,
  ended_at timestamptz(3) NOT NULL CHECK (ended_at > started_at),
  status text NOT NULL,
  PRIMARY KEY (organization_id, incident_id, component_id, started_at),
  FOREIGN KEY (organization_id, incident_id) REFERENCES incidents (organization_id, id)
    ON DELETE CASCADE,
  FOREIGN KEY (organization_id, component_id) REFERENCES components (organization_id, id)
    ON DELETE CASCADE
);
-- tenant incident_status_spans
CREATE INDEX ON incident_status_spans (organization_id, component_id, started_at);

CREATE TABLE incident_updates (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  incident_id uuid NOT NULL,
  -- Version of the incident that the update created: the order of updates.
  incident_version int NOT NULL,
  status text NOT NULL,
  message text NOT NULL,
  component_statuses jsonb NOT NULL,
  by_person boolean NOT NULL,
  -- True for an update of another status page: its statuses hold from the time that it displays.
  is_imported boolean NOT NULL DEFAULT false,
  display_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, incident_id, incident_version),
  FOREIGN KEY (organization_id, incident_id) REFERENCES incidents (organization_id, id)
    ON DELETE CASCADE
);
-- tenant incident_updates

CREATE TABLE postmortems (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  incident_id uuid NOT NULL,
  summary text NOT NULL,
  root_cause text,
  impact text,
  resolution text,
  timeline json NOT NULL,
  action_items json NOT NULL,
  -- Null: a draft.
  published_at timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, incident_id),
  FOREIGN KEY (organization_id, incident_id) REFERENCES incidents (organization_id, id)
    ON DELETE CASCADE
);
-- tenant postmortems

-- Ids of deleted components remain; they are skipped when the template is used.
CREATE TABLE incident_templates (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  name text NOT NULL,
  title text NOT NULL,
  message text NOT NULL,
  status text NOT NULL CHECK (length(status) <= 32),
  impact text NOT NULL CHECK (length(impact) <= 32),
  component_ids uuid[] NOT NULL,
  component_statuses json NOT NULL,
  managed_by_config boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  CONSTRAINT incident_templates_name UNIQUE (organization_id, name)
);
-- tenant incident_templates
CREATE INDEX ON incident_templates (organization_id, created_at, id);
CREATE INDEX ON incident_templates (organization_id, updated_at, id);

-- Incident drafts that alerts propose. A table of their own ensures that no query for incidents
-- returns a draft.
CREATE TABLE incident_drafts (
  -- Of an alert, its id, the same while it fires: a repeated alert creates no second draft.
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  -- Version of the last event applied; an older one changes nothing.
  version int NOT NULL,
  status text NOT NULL CHECK (length(status) <= 32),
  title text NOT NULL,
  message text NOT NULL,
  impact text NOT NULL CHECK (length(impact) <= 32),
  component_ids uuid[] NOT NULL,
  started_at timestamptz(3) NOT NULL,
  -- Null for a draft about a component whose vendor reports a disruption.
  integration_id uuid,
  vendor_component_id uuid CHECK ((vendor_component_id IS NULL) = (integration_id IS NOT NULL)),
  publish_at timestamptz(3) CHECK (publish_at IS NULL OR status = 'waiting'),
  alert_resolved_at timestamptz(3),
  incident_id uuid CHECK ((incident_id IS NOT NULL) = (status = 'published')),
  notes json NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id)
);
-- tenant incident_drafts
CREATE INDEX ON incident_drafts (organization_id, created_at, id);
CREATE INDEX ON incident_drafts (organization_id, updated_at, id);
-- One draft per disruption: it is open until the vendor reports its end, also when it was vetoed.
CREATE UNIQUE INDEX incident_drafts_vendor ON incident_drafts (organization_id, vendor_component_id)
  WHERE alert_resolved_at IS NULL AND vendor_component_id IS NOT NULL;
CREATE INDEX incident_drafts_due ON incident_drafts (publish_at) WHERE publish_at IS NOT NULL;
CREATE INDEX ON incident_drafts (updated_at);
-- Publication and retention work across organizations.
CREATE POLICY due ON incident_drafts TO core_due USING (true);
GRANT SELECT (organization_id, id, publish_at, updated_at), DELETE ON incident_drafts TO core_due;
-- An action link names a draft and no organization.
CREATE POLICY lookup ON incident_drafts FOR SELECT TO core_lookup USING (true);
GRANT SELECT (organization_id, id) ON incident_drafts TO core_lookup;

-- Maintenances ----------------------------------------------------------------

-- Ids of deleted components remain, as in incident templates.
CREATE TABLE maintenance_templates (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  name text NOT NULL,
  title text NOT NULL,
  message text NOT NULL,
  duration_minutes int NOT NULL CHECK (duration_minutes > 0),
  component_ids uuid[] NOT NULL,
  auto_start boolean NOT NULL,
  auto_complete boolean NOT NULL,
  set_under_maintenance boolean NOT NULL,
  restore_on_complete boolean NOT NULL,
  notify_subscribers boolean NOT NULL,
  remind_before_minutes int[] NOT NULL,
  managed_by_config boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  CONSTRAINT maintenance_templates_name UNIQUE (organization_id, name)
);
-- tenant maintenance_templates
CREATE INDEX ON maintenance_templates (organization_id, created_at, id);
CREATE INDEX ON maintenance_templates (organization_id, updated_at, id);

CREATE TABLE maintenances (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  version int NOT NULL,
  title text NOT NULL,
  -- Newest message, and the message of the plan, which further occurrences copy.
  message text NOT NULL,
  plan_message text NOT NULL,
  status text NOT NULL CHECK (length(status) <= 32),
  scheduled_for timestamptz(3) NOT NULL,
  scheduled_until timestamptz(3) NOT NULL CHECK (scheduled_until > scheduled_for),
  started_at timestamptz(3),
  completed_at timestamptz(3) CHECK ((completed_at IS NOT NULL) = (status = 'completed')),
  cancelled_at timestamptz(3) CHECK ((cancelled_at IS NOT NULL) = (status = 'cancelled')),
  -- Component ids, repeated from maintenance_components: pages filter each row by them, and a join
  -- took ten times as long for 50,000 rows.
  component_ids uuid[] NOT NULL DEFAULT '{}',
  auto_start boolean NOT NULL,
  auto_complete boolean NOT NULL,
  set_under_maintenance boolean NOT NULL,
  restore_on_complete boolean NOT NULL,
  notify_subscribers boolean NOT NULL,
  remind_before_minutes int[] NOT NULL,
  -- Reminders up to this time were sent, or were already late when they were requested.
  reminded_at timestamptz(3) NOT NULL,
  recurrence json,
  -- First occurrence of the series, and the time that the rule gave; null for a first occurrence.
  recurrence_of uuid,
  occurrence_at timestamptz(3) CHECK ((occurrence_at IS NULL) = (recurrence_of IS NULL)),
  -- Next occurrence to be created; only set for the first of a series.
  next_occurrence_at timestamptz(3)
    CHECK (next_occurrence_at IS NULL OR (recurrence IS NOT NULL AND recurrence_of IS NULL)),
  -- Time of the next automatic step; the job that takes it holds the lease.
  due_at timestamptz(3),
  lease_until timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id),
  -- Checked at the commit: moving a series passes through the times of other occurrences.
  CONSTRAINT maintenances_occurrence UNIQUE (organization_id, recurrence_of, occurrence_at)
    DEFERRABLE INITIALLY DEFERRED,
  FOREIGN KEY (organization_id, recurrence_of) REFERENCES maintenances (organization_id, id)
);
-- tenant maintenances
CREATE INDEX ON maintenances (organization_id, scheduled_for DESC, id DESC);
CREATE INDEX ON maintenances (organization_id, created_at DESC, id DESC);
CREATE INDEX ON maintenances (organization_id, updated_at DESC, id DESC);
CREATE INDEX ON maintenances (organization_id, array_position(
  '{scheduled,in_progress,verifying,completed,cancelled}'::text[], status), id);
-- No window is longer than 90 days, but many are over: a search for overlaps begins here.
CREATE INDEX ON maintenances (organization_id, scheduled_until);
CREATE INDEX ON maintenances USING gin (component_ids);
CREATE INDEX maintenances_open ON maintenances (organization_id, scheduled_for)
  WHERE status IN ('scheduled', 'in_progress', 'verifying');
CREATE INDEX maintenances_due ON maintenances (due_at) WHERE due_at IS NOT NULL;
-- The job leases due rows across organizations, and changes each within its own.
CREATE POLICY due ON maintenances TO core_due USING (true);
GRANT SELECT (id, organization_id, due_at, lease_until), UPDATE (lease_until)
  ON maintenances TO core_due;

-- Components of a maintenance. Maintenances outlive them: name and status are the last known.
CREATE TABLE maintenance_components (
  organization_id uuid NOT NULL,
  maintenance_id uuid NOT NULL,
  component_id uuid NOT NULL,
  position int NOT NULL,
  name text NOT NULL,
  status text NOT NULL,
  -- Published pages that showed the component when it was deleted; the maintenance stays on them.
  retained_page_ids uuid[] NOT NULL DEFAULT '{}',
  PRIMARY KEY (organization_id, maintenance_id, component_id),
  FOREIGN KEY (organization_id, maintenance_id) REFERENCES maintenances (organization_id, id)
);
-- tenant maintenance_components
CREATE INDEX ON maintenance_components (organization_id, component_id);
CREATE INDEX maintenance_components_retained ON maintenance_components (organization_id)
  WHERE retained_page_ids <> '{}';

CREATE TABLE maintenance_updates (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  maintenance_id uuid NOT NULL,
  -- Version of the maintenance that the update created: the order of updates.
  maintenance_version int NOT NULL,
  status text NOT NULL,
  message text NOT NULL,
  display_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, maintenance_id, maintenance_version),
  FOREIGN KEY (organization_id, maintenance_id) REFERENCES maintenances (organization_id, id)
);
-- tenant maintenance_updates

-- Status pages ----------------------------------------------------------------

CREATE TABLE status_pages (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  version int NOT NULL,
  name text NOT NULL,
  slug text NOT NULL CONSTRAINT status_pages_slug UNIQUE,
  description text,
  is_published boolean NOT NULL,
  visibility text NOT NULL CHECK (length(visibility) <= 32),
  password_hash text CHECK (password_hash <> ''),
  -- Encrypted digest, by which a configuration is compared with the password.
  password_digest text,
  allowed_ip_ranges text[] NOT NULL DEFAULT '{}',
  custom_domain text,
  custom_domain_status text NOT NULL DEFAULT 'none' CHECK (length(custom_domain_status) <= 32),
  -- Time since which the CNAME record is missing; null while it exists.
  custom_domain_missing_since timestamptz(3),
  -- Time of the next DNS check; null while no check is needed.
  custom_domain_due_at timestamptz(3),
  components json NOT NULL,
  theme json NOT NULL,
  logo_url text,
  logo_dark_url text,
  favicon_url text,
  homepage_url text,
  support_url text,
  timezone text NOT NULL,
  locale text NOT NULL,
  alternate_locales text[] NOT NULL DEFAULT '{}',
  uptime_days int NOT NULL,
  incident_history_days int NOT NULL,
  show_uptime_percentage boolean NOT NULL,
  allow_indexing boolean NOT NULL,
  allow_feeds boolean NOT NULL,
  allow_email_subscribers boolean NOT NULL,
  allow_sms_subscribers boolean NOT NULL,
  allow_webhook_subscribers boolean NOT NULL,
  -- Components and events of visitors who sign up without a choice.
  subscriber_defaults json NOT NULL,
  managed_by_config boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id),
  CONSTRAINT status_pages_password
    CHECK (visibility <> 'password' OR password_hash IS NOT NULL),
  CHECK ((password_hash IS NULL) = (password_digest IS NULL)),
  CONSTRAINT status_pages_domain_status
    CHECK ((custom_domain IS NULL) = (custom_domain_status = 'none'))
);
-- tenant status_pages
-- A custom domain belongs to the organization whose TXT record the name has. A claim without that
-- proof reserves the name against no other organization, so only active claims are unique.
CREATE UNIQUE INDEX status_pages_custom_domain ON status_pages (custom_domain)
  WHERE custom_domain_status = 'active';
CREATE INDEX status_pages_active_domain ON status_pages (custom_domain)
  WHERE custom_domain_status = 'active' AND is_published;
CREATE INDEX status_pages_domain_due ON status_pages (custom_domain_due_at)
  WHERE custom_domain_due_at IS NOT NULL;
-- Key rotation encrypts the digests of passwords again, across organizations.
CREATE POLICY due ON status_pages TO core_due USING (true);
GRANT SELECT (organization_id, id, slug, is_published, visibility, custom_domain,
    custom_domain_due_at, password_digest),
  UPDATE (custom_domain_due_at, password_digest) ON status_pages TO core_due;
-- A public request is matched to its page by slug or host name, and access is checked by that row,
-- before any other row of the organization is read.
CREATE POLICY lookup ON status_pages FOR SELECT TO core_lookup USING (true);
GRANT SELECT (organization_id, id, name, slug, is_published, visibility, password_hash,
  allowed_ip_ranges, custom_domain, custom_domain_status) ON status_pages TO core_lookup;

-- Gateways cache public pages. A change of a page's access or slug notifies them at the commit,
-- however it was made.
CREATE FUNCTION notify_page_access() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('page_access', OLD.organization_id::text);
  RETURN NULL;
END $$;
CREATE TRIGGER page_access_changed AFTER UPDATE OF is_published, visibility, slug ON status_pages
  FOR EACH ROW
  WHEN ((OLD.is_published, OLD.visibility, OLD.slug)
    IS DISTINCT FROM (NEW.is_published, NEW.visibility, NEW.slug))
  EXECUTE FUNCTION notify_page_access();
CREATE TRIGGER page_removed AFTER DELETE ON status_pages
  FOR EACH ROW EXECUTE FUNCTION notify_page_access();

-- Password attempts per page, from all visitors, within the present window.
CREATE TABLE page_access_attempts (
  organization_id uuid NOT NULL,
  status_page_id uuid NOT NULL,
  window_started_at timestamptz(3) NOT NULL,
  attempts int NOT NULL,
  PRIMARY KEY (organization_id, status_page_id),
  FOREIGN KEY (organization_id, status_page_id) REFERENCES status_pages (organization_id, id)
    ON DELETE CASCADE
);
-- tenant page_access_attempts

-- Static exports of pages, which remain available while the service is not. Without a foreign key:
-- the files of a deleted page must still be removed.
CREATE TABLE page_exports (
  organization_id uuid NOT NULL,
  status_page_id uuid NOT NULL,
  slug text NOT NULL,
  -- Digest of each written file by path.
  files jsonb NOT NULL,
  -- Time of the next export; a run postpones it while it works.
  next_at timestamptz(3) NOT NULL,
  -- Time at which the content of the last complete export was read.
  exported_at timestamptz(3),
  -- Token of the run that holds the lease; null without one. It fences a replica that was paused.
  owner uuid,
  -- Time at which the files were removed because the page is not public; they are removed again
  -- later.
  cleared_at timestamptz(3),
  PRIMARY KEY (organization_id, status_page_id)
);
-- tenant page_exports
CREATE INDEX page_exports_next ON page_exports (next_at);
CREATE POLICY due ON page_exports TO core_due USING (true);
GRANT SELECT, INSERT, UPDATE (next_at, owner, files) ON page_exports TO core_due;
-- Organizations with an event since the last export of their pages.
GRANT SELECT (seq, organization_id, occurred_at) ON outbox TO core_due;

-- Uploaded images of status pages and components.
CREATE TABLE uploads (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  content_type text NOT NULL CHECK (length(content_type) <= 32),
  width int NOT NULL,
  height int NOT NULL,
  bytes int NOT NULL,
  -- SHA-256 of the content, in hexadecimal. An image that is uploaded again is stored once.
  sha256 text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id),
  CONSTRAINT uploads_sha256 UNIQUE (organization_id, sha256)
);
-- tenant uploads
CREATE INDEX ON uploads (organization_id, created_at, id);
-- A public request names the upload and no organization.
CREATE POLICY lookup ON uploads FOR SELECT TO core_lookup USING (true);
GRANT SELECT (organization_id, id, content_type, sha256) ON uploads TO core_lookup;

-- A table of its own, so that no list reads the contents.
CREATE TABLE upload_contents (
  organization_id uuid NOT NULL,
  upload_id uuid NOT NULL,
  content bytea NOT NULL,
  PRIMARY KEY (organization_id, upload_id),
  FOREIGN KEY (organization_id, upload_id) REFERENCES uploads (organization_id, id)
    ON DELETE CASCADE
);
-- tenant upload_contents

-- Metrics shown on pages: projection of metric queries, with the means of the last day.
CREATE TABLE page_metrics (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  -- An older version is ignored. A removed metric remains as a tombstone, so that it cannot
  -- return.
  version int NOT NULL,
  integration_id uuid NOT NULL,
  -- Component that the metric is shown with; null shows it on every page.
  component_id uuid,
  name text NOT NULL,
  unit text,
  decimal_places int NOT NULL,
  is_shown boolean NOT NULL,
  last_value double precision,
  last_value_at timestamptz(3),
  PRIMARY KEY (organization_id, id)
);
-- tenant page_metrics
CREATE INDEX ON page_metrics (organization_id, name, id) WHERE is_shown;

CREATE TABLE page_metric_points (
  organization_id uuid NOT NULL,
  metric_id uuid NOT NULL,
  at timestamptz(3) NOT NULL,
  value double precision NOT NULL,
  PRIMARY KEY (organization_id, metric_id, at),
  FOREIGN KEY (organization_id, metric_id) REFERENCES page_metrics (organization_id, id)
    ON DELETE CASCADE
);
-- tenant page_metric_points

-- Subscribers -----------------------------------------------------------------

CREATE TABLE subscribers (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  version int NOT NULL,
  type text NOT NULL CHECK (length(type) <= 32),
  -- E-mail address, phone number or URL; the digest is short enough for an index.
  address text NOT NULL,
  address_digest text NOT NULL,
  webhook_secret text,
  -- Signs webhooks together with the present secret until the time below.
  previous_webhook_secret text,
  previous_webhook_secret_until timestamptz(3),
  component_ids uuid[] NOT NULL,
  events text[] NOT NULL,
  status_page_id uuid,
  -- Incident whose updates alone are sent. No foreign key: the job that ends the subscription
  -- publishes its deletion.
  incident_id uuid,
  status text NOT NULL CHECK (length(status) <= 32),
  status_reason text,
  source text NOT NULL CHECK (length(source) <= 32),
  -- Time of the consent, null before it is given and after it is withdrawn, and the address of the
  -- consenting client. Time, client, source and page are the proof of the consent.
  consented_at timestamptz(3),
  consent_address text,
  confirmed_at timestamptz(3),
  unsubscribed_at timestamptz(3),
  -- End of a quarantine: earlier delivery failures of the address no longer count.
  reactivated_at timestamptz(3),
  last_notified_at timestamptz(3),
  manage_token_digest text NOT NULL CONSTRAINT subscribers_manage_token UNIQUE,
  manage_token text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id),
  CONSTRAINT subscribers_address
    UNIQUE NULLS NOT DISTINCT
      (organization_id, type, address_digest, status_page_id, incident_id),
  CHECK (incident_id IS NULL OR status_page_id IS NOT NULL),
  CHECK ((previous_webhook_secret IS NULL) = (previous_webhook_secret_until IS NULL)),
  FOREIGN KEY (organization_id, status_page_id) REFERENCES status_pages (organization_id, id)
);
-- tenant subscribers
-- One index per filter, in the order of the list. Only e-mail addresses can be sorted by.
CREATE INDEX ON subscribers (organization_id, created_at DESC, id DESC);
CREATE INDEX ON subscribers (organization_id, type, created_at DESC, id DESC);
CREATE INDEX ON subscribers (organization_id, status, created_at DESC, id DESC);
CREATE INDEX ON subscribers (organization_id, source, created_at DESC, id DESC);
CREATE INDEX ON subscribers (organization_id, status_page_id, created_at DESC, id DESC);
CREATE INDEX ON subscribers (organization_id, type, id);
CREATE INDEX ON subscribers (organization_id, (CASE WHEN type = 'email' THEN address END), id);
-- Row-level security permits only leakproof operators in an index, and `@>` is not one: an
-- inverted index would not be used. Subscribers with components of their own are few and are
-- scanned.
CREATE INDEX ON subscribers (organization_id, created_at DESC, id DESC)
  WHERE component_ids <> '{}';
CREATE INDEX subscribers_incident ON subscribers (organization_id, incident_id)
  WHERE incident_id IS NOT NULL;
CREATE INDEX subscribers_unconfirmed ON subscribers (created_at)
  WHERE status = 'unconfirmed' AND source = 'self_signup';
-- Unconfirmed sign-ups and subscriptions to resolved incidents expire, and key rotation encrypts
-- secrets again, across organizations.
CREATE POLICY due ON subscribers TO core_due USING (true);
GRANT SELECT (organization_id, id, version, type, status, source, status_page_id, incident_id,
    created_at, webhook_secret, previous_webhook_secret, manage_token),
  UPDATE (webhook_secret, previous_webhook_secret, manage_token), DELETE
  ON subscribers TO core_due;
-- A link in a mail names its token and no organization.
CREATE POLICY lookup ON subscribers FOR SELECT TO core_lookup USING (true);
GRANT SELECT (organization_id, id, manage_token_digest) ON subscribers TO core_lookup;

-- Requests for confirmation. The requested changes take effect with the confirmation and never
-- before: a request for another person's address changes nothing for that person.
CREATE TABLE subscriber_confirmations (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  subscriber_id uuid NOT NULL,
  address_digest text NOT NULL,
  -- Digest of the token. The digest of a code includes the id, because a million codes are soon
  -- tried.
  secret_digest text NOT NULL,
  component_ids uuid[] NOT NULL,
  events text[] NOT NULL,
  webhook_secret text,
  source text NOT NULL CHECK (length(source) <= 32),
  tries int NOT NULL,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id),
  FOREIGN KEY (organization_id, subscriber_id) REFERENCES subscribers (organization_id, id)
    ON DELETE CASCADE
);
-- tenant subscriber_confirmations
CREATE INDEX ON subscriber_confirmations (organization_id, subscriber_id);
CREATE UNIQUE INDEX subscriber_confirmations_secret ON subscriber_confirmations (secret_digest);
CREATE INDEX ON subscriber_confirmations (address_digest);
CREATE INDEX ON subscriber_confirmations (expires_at);
-- Expired requests are deleted with the addresses that were never confirmed.
CREATE POLICY due ON subscriber_confirmations TO core_due USING (true);
GRANT SELECT (organization_id, id, subscriber_id, webhook_secret, expires_at),
  UPDATE (webhook_secret), DELETE ON subscriber_confirmations TO core_due;
-- A confirmation names its token or code and no organization.
CREATE POLICY lookup ON subscriber_confirmations FOR SELECT TO core_lookup USING (true);
GRANT SELECT (organization_id, id, subscriber_id, address_digest, secret_digest, expires_at,
  created_at) ON subscriber_confirmations TO core_lookup;

-- Times of confirmation messages per address. Without tenants: the limit protects the address
-- against requests in all organizations together.
CREATE TABLE confirmation_messages (
  address_digest text NOT NULL,
  at timestamptz(3) NOT NULL
);
CREATE INDEX ON confirmation_messages (address_digest, at);
CREATE INDEX ON confirmation_messages (at);
GRANT SELECT, DELETE ON confirmation_messages TO core_due;

-- Keyed hashes of erased addresses: an import does not restore them.
CREATE TABLE erased_addresses (
  organization_id uuid NOT NULL,
  address_hash text NOT NULL,
  erased_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, address_hash)
);
-- tenant erased_addresses

-- On-call ---------------------------------------------------------------------

-- Projection of the gateway's memberships. An ended membership remains as a tombstone, so that an
-- older event cannot restore it.
CREATE TABLE members (
  organization_id uuid NOT NULL,
  -- Id of the membership; a user who returns gets another one.
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  name text NOT NULL,
  email text NOT NULL,
  is_removed boolean NOT NULL,
  version int NOT NULL,
  PRIMARY KEY (organization_id, id)
);
-- tenant members
CREATE INDEX ON members (organization_id, user_id) WHERE NOT is_removed;

-- Projection of the notification channels: an escalation may reference them. A removed channel
-- remains as a tombstone, so that an older event cannot restore it.
CREATE TABLE channels (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  is_removed boolean NOT NULL,
  version int NOT NULL,
  PRIMARY KEY (organization_id, id)
);
-- tenant channels

CREATE TABLE oncall_schedules (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  version int NOT NULL,
  name text NOT NULL,
  description text,
  timezone text NOT NULL,
  component_ids uuid[] NOT NULL,
  -- Further event kinds that page the responders: service levels, certificates, overdue updates,
  -- drafts.
  events text[] NOT NULL DEFAULT '{}',
  is_enabled boolean NOT NULL,
  layers json NOT NULL,
  escalation json NOT NULL,
  managed_by_config boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id)
);
-- tenant oncall_schedules
CREATE INDEX ON oncall_schedules (organization_id, name, id);
CREATE INDEX ON oncall_schedules (organization_id, created_at, id);
CREATE INDEX ON oncall_schedules (organization_id, updated_at, id);

CREATE TABLE oncall_overrides (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  schedule_id uuid NOT NULL,
  user_id uuid NOT NULL,
  starts_at timestamptz(3) NOT NULL,
  ends_at timestamptz(3) NOT NULL CHECK (ends_at > starts_at),
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id),
  FOREIGN KEY (organization_id, schedule_id) REFERENCES oncall_schedules (organization_id, id)
    ON DELETE CASCADE
);
-- tenant oncall_overrides
CREATE INDEX ON oncall_overrides (organization_id, schedule_id, ends_at);
CREATE INDEX oncall_overrides_ended ON oncall_overrides (ends_at);
-- Overrides and alerts are deleted after 13 months: no report of a service level looks back
-- further.
CREATE POLICY due ON oncall_overrides FOR SELECT TO core_due USING (true);
CREATE POLICY retention ON oncall_overrides FOR DELETE TO core_due
  USING (ends_at < now() - interval '13 months');
GRANT SELECT (organization_id, id, ends_at), DELETE ON oncall_overrides TO core_due;

-- Alerts outlive their schedule, as the record of the notified responders.
CREATE TABLE oncall_alerts (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  version int NOT NULL,
  schedule_id uuid NOT NULL,
  schedule_name text NOT NULL,
  status text NOT NULL CHECK (length(status) <= 32),
  title text NOT NULL,
  severity text NOT NULL CHECK (length(severity) <= 32),
  source text NOT NULL CHECK (length(source) <= 32),
  component_id uuid,
  incident_id uuid,
  dedup_key text NOT NULL,
  -- Cause and its start, for the messages.
  reason text,
  -- Values of title and reason, for texts in other languages.
  details jsonb,
  url text,
  since timestamptz(3) NOT NULL,
  assigned_user_ids uuid[] NOT NULL,
  escalation_level int NOT NULL,
  -- Index of the step to take at due_at; null after the last one.
  next_step int,
  due_at timestamptz(3) CHECK (due_at IS NULL OR status = 'triggered' AND next_step IS NOT NULL),
  count int NOT NULL,
  no_responder boolean NOT NULL,
  triggered_at timestamptz(3) NOT NULL,
  acknowledged_at timestamptz(3),
  acknowledged_by uuid,
  resolved_at timestamptz(3) CHECK ((resolved_at IS NOT NULL) = (status = 'resolved')),
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id)
);
-- tenant oncall_alerts
CREATE UNIQUE INDEX oncall_alerts_open ON oncall_alerts (organization_id, dedup_key, schedule_id)
  WHERE status <> 'resolved';
CREATE INDEX oncall_alerts_raised ON oncall_alerts (organization_id, dedup_key, schedule_id);
CREATE INDEX oncall_alerts_due ON oncall_alerts (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX oncall_alerts_unacknowledged ON oncall_alerts (triggered_at)
  WHERE status = 'triggered';
CREATE INDEX oncall_alerts_resolved ON oncall_alerts (resolved_at) WHERE resolved_at IS NOT NULL;
CREATE INDEX ON oncall_alerts (organization_id, triggered_at, id);
CREATE INDEX ON oncall_alerts (organization_id, schedule_id, triggered_at, id);
CREATE INDEX ON oncall_alerts (organization_id, component_id, triggered_at, id);
CREATE INDEX ON oncall_alerts (organization_id, status, triggered_at, id);
CREATE INDEX oncall_alerts_by_severity ON oncall_alerts
  (organization_id, array_position('{critical,warning}'::text[], severity), id);
CREATE INDEX oncall_alerts_by_status ON oncall_alerts
  (organization_id, array_position('{triggered,acknowledged,resolved}'::text[], status), id);
-- An action link names an alert and no organization.
CREATE POLICY lookup ON oncall_alerts FOR SELECT TO core_lookup USING (true);
GRANT SELECT (organization_id, id) ON oncall_alerts TO core_lookup;
-- Escalation finds due alerts across organizations, and takes each step within its own. Metrics
-- count those without acknowledgement.
CREATE POLICY due ON oncall_alerts FOR SELECT TO core_due USING (true);
CREATE POLICY retention ON oncall_alerts FOR DELETE TO core_due
  USING (resolved_at < now() - interval '13 months');
GRANT SELECT (organization_id, id, status, triggered_at, due_at, resolved_at), DELETE
  ON oncall_alerts TO core_due;

-- Service levels --------------------------------------------------------------

CREATE TABLE slas (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  version int NOT NULL,
  name text NOT NULL,
  description text,
  -- Ids of deleted components remain, so that a scope never changes by itself.
  component_ids uuid[] NOT NULL CHECK (cardinality(component_ids) BETWEEN 1 AND 100),
  target_percentage double precision NOT NULL
    CHECK (target_percentage > 0 AND target_percentage < 100),
  window_type text NOT NULL CHECK (length(window_type) <= 32),
  window_days int NOT NULL CHECK (window_days BETWEEN 1 AND 366),
  timezone text NOT NULL,
  aggregation text NOT NULL CHECK (length(aggregation) <= 32),
  downtime_statuses text[] NOT NULL,
  partial_weight double precision NOT NULL,
  exclude_maintenance boolean NOT NULL,
  min_outage_seconds int NOT NULL,
  at_risk_threshold double precision NOT NULL,
  is_enabled boolean NOT NULL,
  response_target_minutes int,
  resolution_target_minutes int,
  managed_by_config boolean NOT NULL DEFAULT false,
  -- Last evaluation: `current` as the API returns it, its status for filters and status changes.
  status text NOT NULL CHECK (length(status) <= 32),
  current json NOT NULL,
  -- Time of the next evaluation; null while the service level is disabled.
  due_at timestamptz(3) CHECK ((due_at IS NOT NULL) = is_enabled),
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id)
);
-- tenant slas
CREATE INDEX ON slas (organization_id, name, id);
CREATE INDEX slas_due ON slas (due_at) WHERE due_at IS NOT NULL;
CREATE POLICY due ON slas TO core_due USING (true);
GRANT SELECT (organization_id, id, due_at), UPDATE (due_at) ON slas TO core_due;

-- Targets that an incident missed; each is reported once.
CREATE TABLE sla_misses (
  organization_id uuid NOT NULL,
  sla_id uuid NOT NULL,
  incident_id uuid NOT NULL,
  kind text NOT NULL CHECK (length(kind) <= 32),
  due_at timestamptz(3) NOT NULL,
  notified_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, sla_id, incident_id, kind),
  FOREIGN KEY (organization_id, sla_id) REFERENCES slas (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, incident_id) REFERENCES incidents (organization_id, id)
    ON DELETE CASCADE
);
-- tenant sla_misses
CREATE INDEX ON sla_misses (organization_id, incident_id);

-- Imports ---------------------------------------------------------------------

-- Records imported from another status page, by their id there: a repeated import finds them.
CREATE TABLE imported_records (
  organization_id uuid NOT NULL,
  source text NOT NULL,
  kind text NOT NULL CHECK (length(kind) <= 32),
  source_id text NOT NULL,
  record_id uuid NOT NULL,
  -- Ids of the imported updates at the source.
  update_ids text[] NOT NULL DEFAULT '{}',
  imported_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, source, kind, source_id)
);
-- tenant imported_records

-- Consumed events -------------------------------------------------------------

INSERT INTO outbox_consumer (consumer, kinds) VALUES
  ('core-components', '{check.summarised}'),
  ('core-incidents', '{monitor.down,monitor.degraded,monitor.recovered}'),
  ('core-vendor-status', '{vendor-status.changed}'),
  ('core-subscribers', ARRAY['subscriber.unsubscribed', 'subscriber.quarantined',
    'subscriber.resubscribed']),
  ('core-members', '{member.added,member.updated,member.removed}'),
  ('core-oncall', ARRAY['monitor.down', 'monitor.recovered', 'outage.confirmed', 'outage.ended',
    'incident.created',
    'incident.updated', 'incident.resolved', 'incident.reopened', 'incident.deleted',
    'incident.update-overdue', 'sla.at-risk', 'sla.breached', 'sla.recovered',
    'sla.response-breached', 'sla.resolution-breached', 'certificate.expiring',
    'incident-draft.created', 'incident-draft.publishing', 'incident-draft.closed']),
  ('core-deliveries', '{delivery.summarised}'),
  ('core-channels', ARRAY['notification-channel.created', 'notification-channel.updated',
    'notification-channel.deleted']),
  ('core-integrations', '{integration.created,integration.updated,integration.deleted}'),
  ('core-metrics', '{metric.summarised}'),
  ('core-metric-queries', '{metric-query.created,metric-query.updated,metric-query.deleted}'),
  ('core-signals', '{alert-signal.received}'),
  ('core-erasure', '{organization.deleted}'),
  ('core-erased-addresses', '{subscriber.erased,account.erased}');
