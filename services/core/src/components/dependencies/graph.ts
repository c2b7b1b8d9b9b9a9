/** The graph of dependencies between components: no cycles, chains of limited length. Pure. */
import { MAX_DEPENDENCY_DEPTH } from '@status-page/contracts'

/** Ids that each component depends on; a component without dependencies is absent. */
export type Dependencies = ReadonlyMap<string, readonly string[]>

/** Components that depend on each component directly. */
export const dependentsOf = (dependencies: Dependencies): Map<string, string[]> => {
  const dependents = new Map<string, string[]>()
  for (const [id, targets] of dependencies) {
    for (const target of targets) {
      const known = dependents.get(target)
      if (known === undefined) dependents.set(target, [id])
      else known.push(id)
    }
  }
  return dependents
}

/** Components outside of `ids` that depend on one of them directly. */
export const directDependents = (dependencies: Dependencies, ids: readonly string[]): string[] => {
  const targets = new Set(ids)
  const depends = (listed: readonly string[]) => listed.some((id) => targets.has(id))
  return [...dependencies].flatMap(([id, listed]) =>
    depends(listed) && !targets.has(id) ? [id] : [],
  )
}

/** Ids that follow a component along the edges, each with its distance, the nearest first. */
export const reachableFrom = (edges: Dependencies, id: string): Map<string, number> => {
  const distances = new Map([[id, 0]])
  for (const [reachedId, distance] of distances) {
    for (const next of edges.get(reachedId) ?? []) {
      if (!distances.has(next)) distances.set(next, distance + 1)
    }
  }
  distances.delete(id)
  return distances
}

/**
 * Component that explains the outage of another one: the farthest dependency that matches, and the
 * lowest id of several.
 */
export const farthestDependency = (
  dependencies: Dependencies,
  id: string,
  matches: (id: string) => boolean,
): string | null => {
  const found = [...reachableFrom(dependencies, id)].filter(([dependencyId]) =>
    matches(dependencyId),
  )
  const [farthest] = found.toSorted(
    ([left, leftDistance], [right, rightDistance]) =>
      rightDistance - leftDistance || left.localeCompare(right),
  )
  return farthest?.[0] ?? null
}

/** Problems of the dependencies of the given components, by their ids. */
export const dependencyProblems = (
  dependencies: Dependencies,
  ids: readonly string[],
): Map<string, string> => {
  const below = chainLengths(dependencies)
  const above = chainLengths(dependentsOf(dependencies))
  const problems = ids.flatMap((id): [string, string][] => {
    if (!dependencies.has(id)) return []
    const [depth, height] = [below.get(id), above.get(id)]
    if (depth === undefined && height === undefined) {
      return [[id, 'dependsOn must not form a cycle']]
    }
    return (depth ?? 0) + (height ?? 0) > MAX_DEPENDENCY_DEPTH
      ? [[id, `Dependencies can form chains of at most ${MAX_DEPENDENCY_DEPTH} steps`]]
      : []
  })
  return new Map(problems)
}

/** Length of the longest chain from each component; absent: the chain leads into a cycle. */
const chainLengths = (edges: Dependencies): Map<string, number> => {
  const sources = dependentsOf(edges)
  const pending = new Map([...edges].map(([id, targets]) => [id, targets.length]))
  const finished = new Map([...sources.keys()].filter((id) => !edges.has(id)).map((id) => [id, 0]))
  const longest = new Map<string, number>()
  for (const [id, length] of finished) {
    for (const source of sources.get(id) ?? []) {
      const remaining = (pending.get(source) ?? 0) - 1
      pending.set(source, remaining)
      longest.set(source, Math.max(longest.get(source) ?? 0, length + 1))
      if (remaining === 0) finished.set(source, longest.get(source) ?? 0)
    }
  }
  return finished
}
