-- The gateway asks which names lead to which pages, whoever owns them; it reads them by name.

GRANT SELECT (custom_domain, custom_domain_status) ON status_pages TO core_lookup;

CREATE INDEX status_pages_active_domain ON status_pages (custom_domain)
  WHERE custom_domain_status = 'active' AND is_published;
