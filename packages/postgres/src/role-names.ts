/** Names of the database roles of one installation, and of the roles that a migration grants to. */
import { databaseSchemaOf, type ServiceName, services } from '@status-page/contracts'

export const DEFAULT_ROLE_PREFIX = 'status_page_'

/** Prefix pattern; the longest role name stays within the 63 bytes of Postgres. */
const prefixPattern = /^[a-z_][a-z0-9_]{0,39}$/

export interface Roles {
  /** Role that owns the schemas. */
  owner: string
  login(service: ServiceName): string
  /** Roles that may read more than one organization, `…_due` and `…_lookup`. */
  systemScope(service: ServiceName): string[]
}

export const rolesOf = (prefix = DEFAULT_ROLE_PREFIX): Roles => {
  if (!prefixPattern.test(prefix) || prefix.startsWith('pg_')) {
    throw new Error(
      'DATABASE_ROLE_PREFIX must be at most 40 lower-case letters, digits and underscores, ' +
        'begin with a letter or an underscore, and not with pg_',
    )
  }
  const login = (service: ServiceName) => `${prefix}${databaseSchemaOf(service)}`
  return {
    owner: `${prefix}migrator`,
    login,
    systemScope: (service) => [`${login(service)}_due`, `${login(service)}_lookup`],
  }
}

const login = services.map(databaseSchemaOf).join('|')
const granteePattern = `(?:${login})(?:_due|_lookup)?\\b(?!\\.)`
const list = `${granteePattern}(?:\\s*,\\s*${granteePattern})*`

/** Grantees of GRANT, REVOKE and CREATE POLICY, also inside the body of a function. */
const grantees = new RegExp(
  `\\b((?:GRANT|REVOKE|CREATE POLICY)\\b[^;']*?\\b(?:TO|FROM)\\s+)(${list})`,
  'g',
)
const role = new RegExp(`\\b(${granteePattern})`, 'g')

/** Adds the installation's prefix to the role names in a migration. */
export const withRolePrefix = (text: string, prefix = DEFAULT_ROLE_PREFIX): string =>
  text.replace(grantees, (_statement, before: string, names: string) => {
    return before + names.replace(role, `${prefix}$1`)
  })
