/** Resolves the variables of a document: those of the organization, else those of the operator. */
import type { Scope } from '@status-page/postgres'
import type { Sealer } from '@status-page/secrets'
import { findSlug } from '../organizations/store.ts'
import type { OperatorVariables } from './operator.ts'
import { variableContext } from './rules.ts'
import { findVariables } from './store.ts'

/** Returns values by name; variables that are not set are absent. */
export const resolveVariables = async (
  scope: Scope,
  names: ReadonlySet<string>,
  { sealer, operatorVariables }: { sealer: Sealer; operatorVariables: OperatorVariables },
): Promise<Map<string, string>> => {
  if (names.size === 0) return new Map()
  const slug = await findSlug(scope)
  const values = new Map<string, string>()
  for (const name of slug === null ? [] : names) {
    const value = operatorVariables.read({ id: scope.organizationId, slug: slug ?? '' }, name)
    if (value !== undefined && value !== '') values.set(name, value)
  }
  for (const row of await findVariables(scope, [...names])) {
    values.set(row.name, sealer.open(row.sealedValue, variableContext(row)))
  }
  return values
}
