-- Database and roles with the least rights, for an administrator to run once as a superuser:
--   psql -d postgres -v ON_ERROR_STOP=1 -v migration_password=… -v backup_password=… -f administrator.sql
-- Names can be chosen with -v database=…, -v migration_role=… and -v backup_role=….
\if :{?database} \else \set database status_page \endif
\if :{?migration_role} \else \set migration_role status_page_admin \endif
\if :{?backup_role} \else \set backup_role status_page_backup \endif

-- Role of DATABASE_URL for the command `migrate`: creates the roles of the services and the schemas. Services use their
-- own roles, which it never gives this right.
CREATE ROLE :"migration_role" LOGIN CREATEROLE NOSUPERUSER NOCREATEDB NOREPLICATION NOBYPASSRLS
  PASSWORD :'migration_password';
-- Role of DATABASE_URL for `backup.sh create`: reads the rows of all tenants and changes nothing.
CREATE ROLE :"backup_role" LOGIN BYPASSRLS NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION
  PASSWORD :'backup_password' IN ROLE pg_read_all_data;
ALTER ROLE :"backup_role" SET default_transaction_read_only = on;

CREATE DATABASE :"database" ENCODING 'UTF8' TEMPLATE template0;
GRANT CREATE ON DATABASE :"database" TO :"migration_role";
\connect :"database"
-- Before Postgres 15, and in databases of an older server, everyone may create tables here.
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
