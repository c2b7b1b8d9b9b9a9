-- Who was told something and core has not heard of yet: rows of their own. In a column of destinations with
-- an index, each delivery wrote all indexes of its destination anew, and so did each summary.
CREATE TABLE told_subscribers (
  organization_id uuid NOT NULL,
  subscriber_id uuid NOT NULL,
  told_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, subscriber_id)
) WITH (autovacuum_vacuum_scale_factor = 0.05);

-- tenant told_subscribers
CREATE POLICY due ON told_subscribers TO notifier_due USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON told_subscribers TO notifier_due;

INSERT INTO told_subscribers (organization_id, subscriber_id, told_at)
  SELECT organization_id, subscriber_id, unsummarised_at FROM destinations
  WHERE unsummarised_at IS NOT NULL AND subscriber_id IS NOT NULL;

-- The column stays for a replica of the release before, and is read no more.
DROP INDEX destinations_unsummarised;

-- Room for the next version of a row on its page, so that noting a delivery writes no index.
ALTER TABLE destinations SET (fillfactor = 80);
