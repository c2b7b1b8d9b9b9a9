-- Several organizations may have the same identity provider: each has an address of its own there, and
-- whoever claimed a provider's public name first would have locked its rightful organization out.
ALTER TABLE saml_providers DROP CONSTRAINT saml_providers_entity_key;

-- Second factors under the previous key are sealed anew.
GRANT SELECT (user_id, sealed_secret), UPDATE (sealed_secret) ON two_factor TO gateway_due;

-- What an invited person may do decides whether a password is enough to come in.
GRANT SELECT (role) ON invitations TO gateway_lookup;
