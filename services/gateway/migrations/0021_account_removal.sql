-- Deletion of an account: its memberships, keys and invitations in every organization, and the
-- organizations that nobody else belongs to.
GRANT SELECT (version) ON memberships TO gateway_lookup;
GRANT SELECT (created_by, permissions), UPDATE (disabled_at) ON api_keys TO gateway_lookup;
CREATE POLICY removal ON api_keys FOR UPDATE TO gateway_lookup USING (true);
GRANT DELETE ON invitations TO gateway_lookup;
CREATE POLICY removal ON invitations FOR DELETE TO gateway_lookup USING (true);
GRANT UPDATE (deletion_requested_at, deletion_due_at) ON organizations TO gateway_lookup;
CREATE POLICY removal ON organizations FOR UPDATE TO gateway_lookup
  USING (deletion_started_at IS NULL);

UPDATE outbox_consumer SET kinds = kinds || '{account.erased}'
  WHERE consumer = 'gateway-erased-addresses';
