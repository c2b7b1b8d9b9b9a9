/** Validation of the dependencies of one component; the caller has locked the component tree. */
import { invalid, ruleIssue } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import type { ComponentRow } from '../../tables.ts'
import { findComponents } from '../store.ts'
import { dependencyProblems } from './graph.ts'
import { loadDependencies } from './store.ts'

/** Throws 400 for an unknown id, a cycle, and a chain that is too long. */
export const validateDependencies = async (
  scope: Scope,
  { id, dependsOn }: Pick<ComponentRow, 'id' | 'dependsOn'>,
): Promise<void> => {
  if (dependsOn.length === 0) return
  const known = await findComponents(scope, dependsOn)
  const unknown = dependsOn.findIndex((dependencyId) => !known.has(dependencyId))
  if (unknown >= 0) {
    const field = `dependsOn[${unknown}]`
    throw invalid(ruleIssue(field, 'exists'))
  }
  const dependencies = new Map(await loadDependencies(scope)).set(id, dependsOn)
  const message = dependencyProblems(dependencies, [id]).get(id)
  if (message !== undefined) throw invalid({ field: 'dependsOn', message })
}
