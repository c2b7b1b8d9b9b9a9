/** Order values of components that are placed among the children of a parent. */
import { conflict, MAX_COMPONENT_ORDER } from '@status-page/contracts'

/** Distance between neighbours, so that later moves find free values between them. */
const STEP = 1_000

export interface OrderedComponent {
  id: string
  order: number
}

/**
 * Order values that place `movedIds` before `beforeId`, or last: those of the moved components if
 * enough values between their neighbours are free, otherwise those of all children. `siblings` are
 * the other children in their present order.
 */
export const orderValues = (input: {
  siblings: readonly OrderedComponent[]
  movedIds: readonly string[]
  beforeId: string | null
}): Map<string, number> => {
  const { siblings, movedIds, beforeId } = input
  const index =
    beforeId === null ? siblings.length : siblings.findIndex(({ id }) => id === beforeId)
  if (index === -1) throw conflict('invalid_state', 'beforeId is not a child of the parent')
  const previous = siblings[index - 1]?.order ?? -1
  const last = Math.min(previous + 1 + STEP * movedIds.length, MAX_COMPONENT_ORDER + 1)
  const next = siblings[index]?.order ?? last
  const distance = Math.floor((next - previous) / (movedIds.length + 1))
  if (distance >= 1) {
    return new Map(movedIds.map((id, position) => [id, previous + distance * (position + 1)]))
  }
  const ids = siblings.map(({ id }) => id)
  return spread([...ids.slice(0, index), ...movedIds, ...ids.slice(index)])
}

const spread = (ids: readonly string[]): Map<string, number> => {
  const step = Math.min(STEP, Math.floor(MAX_COMPONENT_ORDER / ids.length))
  return new Map(ids.map((id, index) => [id, index * step]))
}
