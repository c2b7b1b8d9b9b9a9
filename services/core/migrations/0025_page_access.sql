-- Gateways keep what is for everybody. When who may see a page changes, or where it stands, they hear it
-- at the commit, whatever has changed it.
CREATE FUNCTION tell_page_access() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('page_access', OLD.organization_id::text);
  RETURN NULL;
END $$;

CREATE TRIGGER page_access_changed AFTER UPDATE OF is_published, visibility, slug ON status_pages
  FOR EACH ROW
  WHEN ((OLD.is_published, OLD.visibility, OLD.slug)
    IS DISTINCT FROM (NEW.is_published, NEW.visibility, NEW.slug))
  EXECUTE FUNCTION tell_page_access();

CREATE TRIGGER page_removed AFTER DELETE ON status_pages
  FOR EACH ROW EXECUTE FUNCTION tell_page_access();
