-- Maintenances with their components and updates; the clock moves them along by due_at.

CREATE TABLE maintenances (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  version int NOT NULL,
  title text NOT NULL,
  -- The newest that was said; and what was said of the plan, for further occurrences.
  message text NOT NULL,
  plan_message text NOT NULL,
  status text NOT NULL
    CHECK (status IN ('scheduled', 'in_progress', 'verifying', 'completed', 'cancelled')),
  scheduled_for timestamptz(3) NOT NULL,
  scheduled_until timestamptz(3) NOT NULL CHECK (scheduled_until > scheduled_for),
  started_at timestamptz(3),
  completed_at timestamptz(3) CHECK ((completed_at IS NOT NULL) = (status = 'completed')),
  cancelled_at timestamptz(3) CHECK ((cancelled_at IS NOT NULL) = (status = 'cancelled')),
  auto_start boolean NOT NULL,
  auto_complete boolean NOT NULL,
  set_under_maintenance boolean NOT NULL,
  restore_on_complete boolean NOT NULL,
  notify_subscribers boolean NOT NULL,
  remind_before_minutes int[] NOT NULL,
  -- Reminders up to this time have been sent, or were too late when they were asked for.
  reminded_at timestamptz(3) NOT NULL,
  recurrence json,
  -- Of a further occurrence: the first of its series, and where the rule put it.
  recurrence_of uuid,
  occurrence_at timestamptz(3) CHECK ((occurrence_at IS NULL) = (recurrence_of IS NULL)),
  -- Of a first one: the occurrence that is made next.
  next_occurrence_at timestamptz(3)
    CHECK (next_occurrence_at IS NULL OR (recurrence IS NOT NULL AND recurrence_of IS NULL)),
  -- When the clock has something to do; whoever does it holds the lease.
  due_at timestamptz(3),
  lease_until timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id),
  -- Checked at the end: a series that is moved passes through the places of its neighbours.
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
-- No window is longer than 90 days, but many are over: those that overlap a time begin here.
CREATE INDEX ON maintenances (organization_id, scheduled_until);
CREATE INDEX maintenances_open ON maintenances (organization_id, scheduled_for)
  WHERE status IN ('scheduled', 'in_progress', 'verifying');
CREATE INDEX maintenances_due ON maintenances (due_at) WHERE due_at IS NOT NULL;

-- Maintenances outlive their components: name and status are the last known ones.
CREATE TABLE maintenance_components (
  organization_id uuid NOT NULL,
  maintenance_id uuid NOT NULL,
  component_id uuid NOT NULL,
  position int NOT NULL,
  name text NOT NULL,
  status text NOT NULL,
  PRIMARY KEY (organization_id, maintenance_id, component_id),
  FOREIGN KEY (organization_id, maintenance_id) REFERENCES maintenances (organization_id, id)
);
-- tenant maintenance_components
CREATE INDEX ON maintenance_components (organization_id, component_id);

CREATE TABLE maintenance_updates (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  maintenance_id uuid NOT NULL,
  -- The maintenance's version that it made: the order of updates.
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

-- Finding what is due in all organizations, and leasing it; each is then changed in its own.
GRANT SELECT (id, organization_id, due_at, lease_until), UPDATE (lease_until)
  ON maintenances TO core_due;
CREATE POLICY due ON maintenances TO core_due USING (true);
