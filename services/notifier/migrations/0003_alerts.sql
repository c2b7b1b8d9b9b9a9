-- On-call alerts are mailed to people like news about their accounts; only the events are new.

INSERT INTO outbox_consumer (consumer, kinds) VALUES
  ('notifier-alerts', '{oncall.triggered,oncall.escalated,oncall.acknowledged,oncall.resolved}');
