-- What the checks of a component find during its maintenance is stored, and told to nobody.

-- The active maintenances as core states them; an older `version` is ignored, so what is over stays
-- for a while as a row without components.
CREATE TABLE maintenances (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  version int NOT NULL,
  component_ids uuid[] NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id)
);
-- tenant maintenances

-- Results of checks begun before this time decide nothing: `infinity` is no date, so far ahead it is
-- while a maintenance lasts, and the time of its end afterwards.
ALTER TABLE target_verdicts ADD COLUMN held_until timestamptz(3);

INSERT INTO outbox_consumer (consumer, kinds) VALUES
  ('monitor-maintenances', '{maintenance.started,maintenance.updated,maintenance.completed}');
