-- Single sign-on: domains that an organization has proved, its identity provider, and what a login
-- under way or done leaves behind.

CREATE TABLE domains (
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  domain text NOT NULL CHECK (domain = lower(domain)),
  txt_value text NOT NULL,
  verified_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, domain)
);
-- Anybody may claim a domain; only one organization holds it as proved.
CREATE UNIQUE INDEX domains_verified_key ON domains (domain) WHERE verified_at IS NOT NULL;
CREATE INDEX ON domains (organization_id, created_at, id);

-- Certificates are base64 of DER, the form in which messages and metadata carry them. Whoever sets a
-- provider can be everybody whom it names; only one that an OWNER set names an OWNER.
CREATE TABLE saml_providers (
  organization_id uuid PRIMARY KEY REFERENCES organizations (id) ON DELETE CASCADE,
  is_enabled boolean NOT NULL,
  idp_entity_id text NOT NULL CONSTRAINT saml_providers_entity_key UNIQUE,
  idp_sso_url text NOT NULL,
  certificates text[] NOT NULL,
  default_role text NOT NULL,
  attribute_mapping jsonb NOT NULL,
  set_by_owner boolean NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);

-- Requests that a provider has yet to answer; using one deletes it.
CREATE TABLE saml_requests (
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  id text NOT NULL,
  browser_hash text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX ON saml_requests (expires_at);

-- Assertions that were used, for as long as one of them could be presented again.
CREATE TABLE saml_assertions (
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  id_hash text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id_hash)
);
CREATE INDEX ON saml_assertions (expires_at);

-- Who somebody is to a provider; an address alone is nobody.
CREATE TABLE saml_identities (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  idp_entity_id text NOT NULL,
  name_id text NOT NULL,
  user_id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, idp_entity_id, name_id),
  FOREIGN KEY (organization_id, user_id)
    REFERENCES memberships (organization_id, user_id) ON DELETE CASCADE
);
CREATE INDEX ON saml_identities (organization_id, user_id);

-- tenant domains
-- tenant saml_providers
-- tenant saml_requests
-- tenant saml_assertions
-- tenant saml_identities

-- Finding the organization by the domain of an address.
CREATE POLICY lookup ON domains FOR SELECT TO gateway_lookup USING (true);
CREATE POLICY lookup ON saml_providers FOR SELECT TO gateway_lookup USING (true);
GRANT SELECT (organization_id, domain, verified_at) ON domains TO gateway_lookup;
GRANT SELECT (organization_id, is_enabled) ON saml_providers TO gateway_lookup;

CREATE POLICY due ON saml_requests TO gateway_due USING (true);
CREATE POLICY due ON saml_assertions TO gateway_due USING (true);
GRANT SELECT (organization_id, id, expires_at), DELETE ON saml_requests TO gateway_due;
GRANT SELECT (organization_id, id_hash, expires_at), DELETE ON saml_assertions TO gateway_due;
