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
  const paths = [...byPath].map(([path, operationsAtPath]) => ({
    path,
    segments: path.split('/'),
    methods: operationsAtPath.map(({ method }) => method),
  }))
  return paths.flatMap(({ path, segments, methods: allowed }) => {
    const general = paths.filter((other) => isMoreGeneral(other.segments, segments))
    const methods = new Set(general.flatMap((other) => other.methods))
    return [...methods.difference(new Set(allowed))].map((method) => ({ path, method, allowed }))
  })
}

const isParameter = (segment: string | undefined): boolean => segment?.startsWith('{') ?? false

/** Whether a path matches every URL of another path with fewer parameters. */
const isMoreGeneral = (general: string[], special: string[]): boolean =>
  general.length === special.length &&
  general.every((segment, at) => segment === special[at] || isParameter(segment)) &&
  general.some((segment, at) => isParameter(segment) && !isParameter(special[at]))
