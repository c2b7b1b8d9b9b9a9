/**
 * Variables of the operator, `CONFIG_VAR_<ORG_SLUG>__<NAME>`, read once at start. Nobody else's: a slug never
 * has two hyphens in a row, so no two organizations meet in one name.
 */
import type { Environment } from '@status-page/service'

export interface VariableOwner {
  id: string
  slug: string
}

export interface OperatorVariables {
  /** The organization's own, where they count; undefined when it is not set. */
  read(organization: VariableOwner, name: string): string | undefined
}

const PREFIX = 'CONFIG_VAR_'
const OWNER = 'ORGANIZATION_ID'

/** Where strangers may register, one could take a slug that waits: then the organization's id has to be told. */
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
      // Whoever is named is meant, also where nobody may register: slugs change hands.
      const isOwn = owner === undefined ? !isRegistrationOpen : owner === id
      return isOwn ? valueAt(slug, name) : undefined
    },
  }
}
