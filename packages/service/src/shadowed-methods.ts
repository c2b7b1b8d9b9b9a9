/**
 * Methods shadowed by a more general path: `GET /subscribers/import` matches `/subscribers/{id}`,
 * which would reject the id or the body instead of the method. Pure.
 */
import { fullPath, type Method, type Operation } from '@status-page/contracts'

export interface ShadowedMethod {
  path: string
  method: Method
  /** Methods of the operations at the path itself. */
  allowed: Method[]
}

export const shadowedMethods = (operations: readonly Operation[]): ShadowedMethod[] => {
  const byPath = Map.groupBy(operations, fullPath)
  const shadowed: ShadowedMethod[] = []
  for (const [path, operationsAtPath] of byPath) {
    const allowed = operationsAtPath.map(({ method }) => method)
    const others = operations
      .filter((other) => isMoreGeneral(fullPath(other), path))
      .map(({ method }) => method)
    for (const method of new Set(others)) {
      if (!allowed.includes(method)) shadowed.push({ path, method, allowed })
    }
  }
  return shadowed
}

const isParameter = (segment: string | undefined): boolean => segment?.startsWith('{') ?? false

/** Whether a path matches every URL of another path with fewer parameters. */
const isMoreGeneral = (general: string, special: string): boolean => {
  const left = general.split('/')
  const right = special.split('/')
  const isMatch = left.every((segment, at) => segment === right[at] || isParameter(segment))
  const namesMore = left.some((segment, at) => isParameter(segment) && !isParameter(right[at]))
  return left.length === right.length && isMatch && namesMore
}
