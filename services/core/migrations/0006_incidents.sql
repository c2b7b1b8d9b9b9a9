-- Postmortems, templates, the promise of a next update, and an index for each way to list incidents.

-- A promise is stated as overdue once; a new promise starts anew.
ALTER TABLE incidents
  ADD COLUMN next_update_at timestamptz(3),
  ADD COLUMN is_overdue_told boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT incidents_promise CHECK (next_update_at IS NULL OR status <> 'resolved');
CREATE INDEX incidents_due ON incidents (next_update_at)
  WHERE next_update_at IS NOT NULL AND NOT is_overdue_told;

-- Finding the overdue ones of all organizations; each is then changed in its own.
CREATE POLICY due ON incidents FOR SELECT TO core_due USING (true);
GRANT SELECT (organization_id, id, next_update_at, is_overdue_told) ON incidents TO core_due;

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

-- Of components that are gone the ids stay: they are passed over when the template is used.
CREATE TABLE incident_templates (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  name text NOT NULL,
  title text NOT NULL,
  message text NOT NULL,
  status text NOT NULL CHECK (status IN ('investigating', 'identified', 'monitoring', 'resolved')),
  impact text NOT NULL CHECK (impact IN ('minor', 'major', 'critical')),
  component_ids uuid[] NOT NULL,
  component_statuses json NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  CONSTRAINT incident_templates_name UNIQUE (organization_id, name)
);
-- tenant incident_templates
CREATE INDEX ON incident_templates (organization_id, created_at, id);
CREATE INDEX ON incident_templates (organization_id, updated_at, id);

-- Lists are read from either end of an index; the arrays are the order of the contract's enums. A
-- search looks at every title, and under row-level security no index on parts of texts can help:
-- the titles lie folded in the index itself, which of 50,000 takes a third of the time.
ALTER TABLE incidents ADD COLUMN title_folded text GENERATED ALWAYS AS (lower(title)) STORED;
DROP INDEX incidents_organization_id_created_at_id_idx;
CREATE INDEX ON incidents (organization_id, created_at, id) INCLUDE (title_folded);
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
DROP INDEX incident_components_organization_id_component_id_idx;
CREATE INDEX ON incident_components (organization_id, component_id, incident_id);
