-- Addresses that were erased, by a keyed hash: an import does not bring them back.
CREATE TABLE erased_addresses (
  organization_id uuid NOT NULL,
  address_hash text NOT NULL,
  erased_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, address_hash)
);
-- tenant erased_addresses
