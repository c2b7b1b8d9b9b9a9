#!/bin/sh
# Backup of an installation, and its restore into an empty database. Needs only the client programs of
# Postgres (pg_dump, pg_restore, psql), of the version of the server or newer, and sha256sum.
#
# A backup is a folder: database.dump (all schemas at one moment), roles.sql (the roles that own and use them,
# without passwords), and manifest (checksum of both, fingerprint of the encryption key). It contains no key.
set -eu

usage() {
  cat <<'TEXT'
Usage: backup.sh create <new folder>    writes a backup
       backup.sh verify <folder>        checks that a backup is complete and that the key belongs to it
       backup.sh restore <folder>       restores a backup into an empty database

Environment:
  DATABASE_URL              administrator's URL; DATABASE_DIRECT_URL takes precedence
  DATABASE_CA_FILE          certificates that sign those of the server
  ENCRYPTION_KEY            key of the installation, or the file ENCRYPTION_KEY_FILE
  ENCRYPTION_KEY_PREVIOUS   during a rotation of the key, or the file ENCRYPTION_KEY_PREVIOUS_FILE
TEXT
}

fail() {
  echo "backup.sh: $*" >&2
  exit 1
}

# setting NAME: prints the variable, or the content of the file that NAME_FILE names.
setting() {
  eval "value=\${$1:-} file=\${$1_FILE:-}"
  if [ -z "$value" ] && [ -n "$file" ]; then value=$(cat "$file") || fail "$1_FILE: $file cannot be read."; fi
  printf %s "$value"
}

# The key is random, so that its hash reveals nothing. The context keeps it different from other hashes of the key.
fingerprint() { printf 'status-page backup %s' "$1" | sha256sum | cut -c1-16; }

checksum() { (cd "$1" && sha256sum "$2" | cut -d' ' -f1); }

read_keys() {
  key=$(setting ENCRYPTION_KEY)
  previous=$(setting ENCRYPTION_KEY_PREVIOUS)
  [ "${#key}" -ge 32 ] || fail "ENCRYPTION_KEY is not set to the key of the installation, which has 32 characters."
}

# The password goes to the client programs by the environment, because other users can read their arguments.
read_database_url() {
  url=$(setting DATABASE_DIRECT_URL)
  [ -n "$url" ] || url=$(setting DATABASE_URL)
  [ -n "$url" ] || fail "DATABASE_URL is not set."
  password=$(printf %s "$url" | sed -n 's#^[a-z]*://[^:/@]*:\([^@]*\)@.*#\1#p')
  case $password in
    *%*) fail "DATABASE_URL: its password has escaped characters; set it as PGPASSWORD instead." ;;
    ?*) export PGPASSWORD="$password" ;;
  esac
  url=$(printf %s "$url" | sed 's#^\([a-z]*://[^:/@]*\):[^@]*@#\1@#')
  [ -z "${DATABASE_CA_FILE:-}" ] || export PGSSLROOTCERT="$DATABASE_CA_FILE"
  # The limits of a role are for requests; a dump takes as long as it takes.
  export PGOPTIONS='-c statement_timeout=0 -c idle_in_transaction_session_timeout=0 -c client_min_messages=warning'
}

query() { psql -X -q -A -t -v ON_ERROR_STOP=1 -d "$url" "$@"; }

require_programs() {
  for program in pg_dump pg_restore psql sha256sum; do
    command -v "$program" >/dev/null || fail "$program is not installed."
  done
}

# Roles of the installation carry its mark (see packages/postgres/src/roles.ts). Existing ones are used; one of
# another installation ends the restore. The migration sets passwords, limits and memberships.
write_roles() {
  query <<'SQL'
SELECT format(
  'DO $roles$ BEGIN IF to_regrole(%1$L) IS NULL THEN CREATE ROLE %1$I %2$s; COMMENT ON ROLE %1$I IS %3$L; END IF; '
  'IF shobj_description(to_regrole(%1$L), ''pg_authid'') IS DISTINCT FROM %3$L THEN '
  'RAISE EXCEPTION ''Role %% belongs to another installation on this server'', %1$L; END IF; END $roles$;',
  rolname, CASE WHEN rolcanlogin THEN 'LOGIN NOINHERIT' ELSE 'NOLOGIN' END, mark)
FROM pg_roles, LATERAL (SELECT shobj_description(oid, 'pg_authid') AS mark) AS comment
WHERE mark = (SELECT 'status-page installation ' || id FROM status_page.installation)
ORDER BY rolname;
SELECT format('GRANT %I TO CURRENT_USER;', pg_get_userbyid(nspowner)) FROM pg_namespace WHERE nspname = 'core';
SQL
}

create() {
  folder=$1
  read_keys
  read_database_url
  [ "$(query -c "SELECT to_regclass('status_page.installation') IS NOT NULL")" = t ] \
    || fail "The database of DATABASE_URL contains no installation."
  umask 077
  mkdir "$folder" || fail "The folder of a backup must be new."
  # Any end before the manifest is complete leaves nothing that looks like a backup.
  trap 'rm -rf "$folder"' EXIT
  trap 'exit 1' HUP INT TERM
  write_roles > "$folder/roles.sql"
  # A missing epoch makes the services publish all open events again, because the messages in NATS belong to another
  # state of the database.
  pg_dump -d "$url" --format=custom --exclude-table-data='*.bus_epoch' --file="$folder/database.dump"
  {
    echo "format 1"
    echo "created $(date -u +%Y-%m-%dT%H:%M:%SZ)"
    echo "installation $(query -c 'SELECT id FROM status_page.installation')"
    echo "key $(fingerprint "$key")"
    [ -z "$previous" ] || echo "previous-key $(fingerprint "$previous")"
    for file in roles.sql database.dump; do echo "sha256 $(checksum "$folder" "$file") $file"; done
  } > "$folder/manifest"
  trap - EXIT
  echo "Written: $folder. Store ENCRYPTION_KEY apart from it: the backup cannot be used without it."
}

entry() { sed -n "s/^$1 //p" "$folder/manifest"; }

verify() {
  folder=$1
  [ -r "$folder/manifest" ] || fail "$folder is not a backup: it has no manifest."
  [ "$(entry format)" = 1 ] || fail "$folder has a format that this version cannot read."
  for file in roles.sql database.dump; do
    [ "$(entry sha256 | sed -n "s/ $file\$//p")" = "$(checksum "$folder" "$file")" ] \
      || fail "$folder/$file is incomplete or was changed."
  done
  read_keys
  fits key "$key" || fits key "$previous" \
    || fail "ENCRYPTION_KEY is not the key of this backup of $(entry created)."
  [ -z "$(entry previous-key)" ] || fits previous-key "$previous" || fits previous-key "$key" \
    || fail "ENCRYPTION_KEY_PREVIOUS is needed: this backup was made during a rotation of the key."
}

fits() { [ -n "$2" ] && [ "$(entry "$1")" = "$(fingerprint "$2")" ]; }

restore() {
  verify "$1"
  read_database_url
  found=$(query -c "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\_toast%'
      AND n.nspname NOT LIKE 'pg\_temp%' AND NOT EXISTS
        (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')")
  [ "$found" = 0 ] || fail "The database of DATABASE_URL is not empty; restore into a new one."
  query --single-transaction -f "$folder/roles.sql"
  pg_restore -d "$url" --single-transaction --exit-on-error "$folder/database.dump"
  echo "Restored: the state of $(entry created). Run the migration, then start the services."
}

case ${1:-} in
  create | verify | restore)
    [ $# -eq 2 ] || { usage >&2; exit 64; }
    require_programs
    "$1" "$2"
    [ "$1" != verify ] || echo "Complete: $2, the state of $(entry created). The key belongs to it."
    ;;
  *)
    usage >&2
    exit 64
    ;;
esac
