-- Under row-level security only leakproof operators reach an index, and `@>` is none: the inverted index
-- is never used. Those with a scope of their own are few, so they are looked through.
DROP INDEX subscribers_component_ids_idx;
CREATE INDEX ON subscribers (organization_id, created_at DESC, id DESC) WHERE component_ids <> '{}';
