/**
 * Warnings about components that a document cannot express, since it identifies components by name
 * only.
 */
import type { LiveComponent, LiveConfiguration } from './plan/live.ts'

const MAX_WARNINGS = 100
const MAX_PATHS = 10

interface Exported {
  /** Names of several components; all of these components are left out. */
  repeated: ReadonlySet<string>
  /** Components in the document. */
  shown: readonly LiveComponent[]
}

/** Returns one sentence per component; paths begin at the root, such as `"Europe / API"`. */
export const exportWarnings = (
  live: LiveConfiguration,
  { repeated, shown }: Exported,
): string[] => {
  const byId = new Map(live.components.map((one) => [one.id, one]))
  const leftOut = Map.groupBy(
    live.components.filter(({ name }) => repeated.has(name)),
    ({ name }) => name,
  )
  const warnings = [
    ...[...leftOut].map(([name, namesakes]) => {
      const count = namesakes.length
      const warning = `${count} components are named ${JSON.stringify(name)} and are left out`
      const paths = new Set(namesakes.map((one) => pathOf(one, byId)))
      return paths.size === 1 && paths.has(JSON.stringify(name))
        ? warning
        : `${warning}: ${listPaths([...paths])}`
    }),
    ...shown.flatMap((one) => {
      const parent = byId.get(one.parentId ?? '')
      const reason = parent === undefined ? null : unnameableReason(parent, repeated)
      return reason === null ? [] : [`${pathOf(one, byId)} is written without its group: ${reason}`]
    }),
    ...shown.flatMap((one) => {
      const names = one.dependencyIds.map((id) => byId.get(id)?.name ?? '')
      const unnameable = names.find((name) => repeated.has(name))
      if (unnameable === undefined) return []
      const reason = `several components are named ${JSON.stringify(unnameable)}`
      return [`${pathOf(one, byId)} is written without its dependencies: ${reason}`]
    }),
  ]
  const rest = warnings.length - MAX_WARNINGS
  return rest > 0 ? [...warnings.slice(0, MAX_WARNINGS), `and ${rest} more`] : warnings
}

const listPaths = (paths: readonly string[]): string => {
  const rest = paths.length - MAX_PATHS
  const listed = paths.slice(0, MAX_PATHS).join(', ')
  return rest > 0 ? `${listed} and ${rest} more` : listed
}

/** Reason why a document cannot name the component as a group, or null. */
const unnameableReason = (
  { name, type }: LiveComponent,
  repeated: ReadonlySet<string>,
): string | null => {
  if (repeated.has(name)) return `several components are named ${JSON.stringify(name)}`
  return type === 'SERVICE' ? null : `${JSON.stringify(name)} is of type ${type}`
}

const pathOf = (component: LiveComponent, byId: ReadonlyMap<string, LiveComponent>): string => {
  const names: string[] = []
  let current: LiveComponent | undefined = component
  while (current !== undefined && names.length < byId.size) {
    names.unshift(current.name)
    current = byId.get(current.parentId ?? '')
  }
  return JSON.stringify(names.join(' / '))
}
