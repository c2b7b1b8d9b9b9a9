-- Organizations that were deleted: this service deletes its rows, too.
INSERT INTO outbox_consumer (consumer, kinds) VALUES ('core-erasure', '{organization.deleted}');
