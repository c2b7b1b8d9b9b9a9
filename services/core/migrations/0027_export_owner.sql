-- An export is written by the holder of its lease alone: the token fences a replica that was paused.

ALTER TABLE page_exports
  -- Token of the run that holds the lease; null while no run does.
  ADD COLUMN owner uuid,
  -- When the files were removed because the page is not public; they are removed once more later.
  ADD COLUMN cleared_at timestamptz(3);

GRANT UPDATE (owner, files) ON page_exports TO core_due;
