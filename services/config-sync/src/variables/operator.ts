/**
 * Operator variables `CONFIG_VAR_<ORG_SLUG>__<NAME>`, read once at start. A slug never contains two
 * hyphens in a row, so the names of two organizations never collide.
 */
import type { Environment } from '@status-page/service'

export interface VariableOwner {
  id: string
  slug: string
}

export interface OperatorVariables {
  /** Value of the organization's variable; undefined if it is not set or not allowed. */
  read(organization: VariableOwner, name: string): string | undefined
}

const PREFIX = 'CONFIG_VAR_'
const OWNER = 'ORGANIZATION_ID'

/**
 * With open registration a stranger could register a slug that the operator prepared; the operator
 * must then set the organization's id.
 */
export const operatorVariables = (
  environment: Environment,
  { isRegistrationOpen }: { isRegistrationOpen: boolean },
): OperatorVariables => {
  const values = new Map(Object.entries(environment).filter(([name]) => name.startsWith(PREFIX)))
  const valueAt = (slug: string, name: string) =>
    values.get(`${PREFIX}${slug.toUpperCase().replaceAll('-', '_')}__${name}`)
  return {
    read({ id, slug }, name) {
      if (name === OWNER) return undefined
      const owner = valueAt(slug, OWNER)
      // A configured id also applies with closed registration, since a slug can be reused.
      const isOwn = owner === undefined ? !isRegistrationOpen : owner === id
      return isOwn ? valueAt(slug, name) : undefined
    },
  }
}
