-- Pages that are not for everybody, and pages under a host name of their own.

ALTER TABLE status_pages
  DROP CONSTRAINT status_pages_visibility_check,
  ADD CONSTRAINT status_pages_visibility_check
    CHECK (visibility IN ('public', 'password', 'ip_allowlist', 'members')),
  ADD COLUMN password_hash text,
  ADD COLUMN allowed_ip_ranges text[] NOT NULL DEFAULT '{}',
  ADD COLUMN custom_domain text,
  ADD COLUMN custom_domain_status text NOT NULL DEFAULT 'none'
    CHECK (custom_domain_status IN ('none', 'pending', 'active', 'failed')),
  -- Since when the CNAME is waited for, or missed; null while it is there.
  ADD COLUMN custom_domain_missing_since timestamptz(3),
  -- When it is looked for next; null while nobody waits for it.
  ADD COLUMN custom_domain_due_at timestamptz(3),
  ADD CONSTRAINT status_pages_password
    CHECK (visibility <> 'password' OR password_hash IS NOT NULL),
  ADD CONSTRAINT status_pages_domain_status
    CHECK ((custom_domain IS NULL) = (custom_domain_status = 'none'));

-- A claim that failed keeps nobody out.
CREATE UNIQUE INDEX status_pages_custom_domain ON status_pages (custom_domain)
  WHERE custom_domain_status <> 'failed';
CREATE INDEX status_pages_domain_due ON status_pages (custom_domain_due_at)
  WHERE custom_domain_due_at IS NOT NULL;

-- Passwords tried for a page, whoever tried them, within the present window.
CREATE TABLE page_access_attempts (
  organization_id uuid NOT NULL,
  status_page_id uuid NOT NULL,
  window_started_at timestamptz(3) NOT NULL,
  attempts int NOT NULL,
  PRIMARY KEY (organization_id, status_page_id),
  FOREIGN KEY (organization_id, status_page_id) REFERENCES status_pages (organization_id, id)
    ON DELETE CASCADE
);
-- tenant page_access_attempts

-- The gate judges a visitor by the row that it finds, before it reads anything of the organization.
GRANT SELECT (visibility, allowed_ip_ranges, password_hash) ON status_pages TO core_lookup;

GRANT SELECT (organization_id, id, custom_domain, custom_domain_due_at),
  UPDATE (custom_domain_due_at) ON status_pages TO core_due;
CREATE POLICY due ON status_pages TO core_due USING (true);
