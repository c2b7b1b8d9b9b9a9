-- Figures that pages show: copies of metric queries, and the means of their last day.

CREATE TABLE page_metrics (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  -- An older one is ignored; what was removed stays, so that it cannot come back.
  version int NOT NULL,
  integration_id uuid NOT NULL,
  -- The component that it is shown with; null: on every page.
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

INSERT INTO outbox_consumer (consumer, kinds) VALUES
  ('core-metric-queries', '{metric-query.created,metric-query.updated,metric-query.deleted}');
