-- A custom domain belongs to the organization whose TXT record the name carries. A claim without that
-- proof reserves the name against no other organization, so only active claims are unique.

DROP INDEX status_pages_custom_domain;
CREATE UNIQUE INDEX status_pages_custom_domain ON status_pages (custom_domain)
  WHERE custom_domain_status = 'active';
