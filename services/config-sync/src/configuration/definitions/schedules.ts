/** Values of on-call schedules that a document may write in more than one way. Pure. */
import type { DocumentFields } from './section.ts'

interface Layer {
  id?: string
  name?: string
  order?: number
  startsAt?: string
}

interface Step {
  targets: readonly string[]
}

/** Completes layers and writes the addresses of targets in lower case. */
export const completeSchedule = (
  fields: DocumentFields,
  stored: DocumentFields,
): DocumentFields => ({
  ...fields,
  ...(Array.isArray(fields.layers)
    ? { layers: completeLayers(fields.layers, (stored.layers ?? []) as readonly Layer[]) }
    : {}),
  ...(Array.isArray(fields.escalation) ? { escalation: fields.escalation.map(canonicalStep) } : {}),
})

/**
 * Completes layers from the stored ones, so that an apply keeps their ids and the start of their
 * rotation. A layer is matched by its name, without one by its position; each stored layer once.
 */
const completeLayers = (layers: readonly Layer[], stored: readonly Layer[]): Layer[] => {
  const unmatched = new Set(stored)
  return layers.map((layer, index) => {
    const match = [...unmatched].find((one) =>
      layer.name === undefined ? one === stored[index] : one.name === layer.name,
    )
    if (match !== undefined) unmatched.delete(match)
    const startsAt = layer.startsAt ?? match?.startsAt
    return {
      ...layer,
      ...(match?.id === undefined ? {} : { id: match.id }),
      name: layer.name ?? match?.name ?? `Layer ${index + 1}`,
      order: layer.order ?? index,
      ...(startsAt === undefined ? {} : { startsAt }),
    }
  })
}

const canonicalStep = (step: Step): Step => ({
  ...step,
  targets: step.targets.map(canonicalTarget),
})

const canonicalTarget = (target: string): string =>
  target.startsWith('user:') ? target.toLowerCase() : target
