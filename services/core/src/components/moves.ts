/** Use case that places components below a parent in a given order, in one transaction. */
import {
  type BulkUpdate,
  type Component,
  type ComponentPlacement,
  invalid,
  type Outcome,
  ruleIssue,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import type { ComponentRow } from '../tables.ts'
import {
  type ComponentChangeDeps,
  presentInOrder,
  updateComponent,
  updateComponents,
} from './changes.ts'
import { orderValues } from './positions.ts'
import * as store from './store.ts'

export const moveComponents = async (
  scope: Scope,
  { componentIds, parentComponentId, beforeId = null }: ComponentPlacement,
  deps: ComponentChangeDeps,
): Promise<Outcome<Component[]>> => {
  await store.lockComponentTree(scope)
  for (const [field, id] of Object.entries({ parentComponentId, beforeId })) {
    if (id !== null) await requireComponent(scope, field, id)
  }
  const movedIds = new Set(componentIds)
  const siblings = (await store.listChildOrders(scope, parentComponentId)).filter(
    ({ id }) => !movedIds.has(id),
  )
  const values = orderValues({ siblings, movedIds: componentIds, beforeId })
  const rows = await lockMoved(scope, { componentIds, siblingIds: [...values.keys()] })
  const isLeaving = (id: string) => rows.get(id)?.parentComponentId !== parentComponentId
  const leaving = componentIds.filter(isLeaving)
  const staying = [...values].filter(([id]) => !leaving.includes(id))
  const updates = staying.map(([id, order]): BulkUpdate => ({ id, order }))
  const outcomes: Outcome<unknown>[] = []
  for (const id of leaving) {
    const patch = { parentComponentId, order: values.get(id) ?? 0 }
    outcomes.push(await updateComponent(scope, { id, patch }, deps))
  }
  if (updates.length > 0) outcomes.push(await updateComponents(scope, updates, deps))
  return {
    result: await presentInOrder(scope, componentIds),
    events: outcomes.flatMap(({ events }) => events),
    audit: outcomes.flatMap(({ audit }) => audit),
  }
}

const requireComponent = async (scope: Scope, field: string, id: string): Promise<void> => {
  const found = await store.findComponents(scope, [id])
  if (!found.has(id)) throw invalid(ruleIssue(field, 'exists'))
}

/**
 * Locks all rows that change at once, in the order of their ids: the moved ones with their
 * descendants, and the siblings with new order values.
 */
const lockMoved = async (
  scope: Scope,
  { componentIds, siblingIds }: { componentIds: readonly string[]; siblingIds: readonly string[] },
): Promise<Map<string, ComponentRow>> => {
  const subtrees: string[][] = []
  for (const id of componentIds) subtrees.push(await store.subtreeIds(scope, id))
  const rows = await store.lockComponents(scope, [...new Set([...siblingIds, ...subtrees.flat()])])
  const unknown = componentIds.findIndex((id) => !rows.has(id))
  if (unknown >= 0) throw invalid(ruleIssue(`componentIds[${unknown}]`, 'exists'))
  return rows
}
