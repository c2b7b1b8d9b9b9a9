/** Use cases that change components, each in one transaction: create, clone, update, delete. */
import {
  type BulkUpdate,
  type Component,
  type ComponentPatch,
  type EventDraft,
  invalid,
  type NewComponent,
  notFound,
  type Outcome,
  type OutcomeDrafts,
  ruleIssue,
  successReply,
} from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import type { Sealer } from '@status-page/secrets'
import { findIntegrations } from '../integrations/store.ts'
import type { ComponentRow } from '../tables.ts'
import { givenImages, requireUploads } from '../uploads/references.ts'
import { directDependents } from './dependencies/graph.ts'
import {
  loadDependencies,
  reconsiderOutages,
  removeFromDependencies,
} from './dependencies/store.ts'
import { validateDependencies } from './dependencies/validation.ts'
import { headerEncrypter, headerReencrypter } from './request-headers.ts'
import {
  auditComponent,
  checkVersion,
  componentEvent,
  copiedComponentRow,
  deriveStatus,
  newComponentRow,
  patchedComponentRow,
} from './rules.ts'
import type { StatusClaims } from './status.ts'
import * as store from './store.ts'
import { subtreeHeight, validateParent } from './tree.ts'
import { presentComponents } from './view.ts'

export const createComponent = async (
  scope: Scope,
  body: NewComponent,
  by: { sealer: Sealer; baseUrl: string; source: 'manual' | 'config' },
): Promise<Outcome<Component>> => {
  const { organizationId, now } = scope
  const id = newId()
  const seal = headerEncrypter(by.sealer, organizationId, id)
  const row = newComponentRow({ id, organizationId, body, source: by.source, seal, now })
  if (row.metric !== null) await validateIntegration(scope, row.metric.integrationId)
  await requireUploads(scope, by.baseUrl, givenImages(body, ['icon']))
  // Top-level creations take the lock too: a batch of config-sync must see the name, or it creates
  // the component again.
  await store.lockComponentTree(scope)
  const ancestorIds = await resolveAncestors(scope, { id: null, parentId: row.parentComponentId })
  await validateDependencies(scope, row)
  await store.insertComponent(scope, row)
  return {
    result: await presentComponent(scope, row.id),
    events: [componentEvent('created', row, ancestorIds)],
    audit: [auditComponent('create', null, row)],
  }
}

/** Effects of ended checks on incidents and maintenances. */
export interface EndedChecks {
  /**
   * Must run before the components change and before they are locked; `changedIds` are all
   * components that the transaction locks afterwards.
   */
  apply(scope: Scope, ended: EndedCheckIds, changedIds: readonly string[]): Promise<OutcomeDrafts>
  /** Must run when deleted components are locked, for what was created in between. */
  retainPages(scope: Scope, componentIds: readonly string[]): Promise<void>
}

export type EndedCheckIds = Readonly<Record<'deleted' | 'disabled', readonly string[]>>

/** Dependencies of a change of components besides the scope. */
export interface ComponentChangeDeps {
  sealer: Sealer
  baseUrl: string
  endedChecks: EndedChecks
}

export interface ComponentChange {
  id: string
  patch: ComponentPatch
  /** Expected version; null permits any. */
  ifMatch?: number | null
}

export const updateComponent = async (
  scope: Scope,
  { id, patch, ifMatch = null }: ComponentChange,
  { sealer, baseUrl, endedChecks }: ComponentChangeDeps,
): Promise<Outcome<Component>> => {
  const isMoved = patch.parentComponentId !== undefined
  const changesTree = isMoved || patch.name !== undefined || patch.dependsOn !== undefined
  if (changesTree) await store.lockComponentTree(scope)
  const disabled = patch.isEnabled === false ? [id] : []
  // A move also raises the versions of the descendants.
  const changedIds = isMoved ? await store.subtreeIds(scope, id) : [id]
  const ended = await endedChecks.apply(scope, { disabled, deleted: [] }, changedIds)
  const before = (await store.lockComponents(scope, changedIds)).get(id)
  if (before === undefined) throw notFound()
  checkVersion(before, ifMatch)
  const seal = headerEncrypter(sealer, scope.organizationId, id)
  const { row, fields, statusChange } = patchedComponentRow({
    row: before,
    patch,
    seal,
    now: scope.now,
  })
  if (fields.includes('integrationId') && row.metric !== null) {
    await validateIntegration(scope, row.metric.integrationId)
  }
  if (fields.includes('dependsOn')) await validateDependencies(scope, row)
  await requireUploads(scope, baseUrl, givenImages(patch, ['icon']))
  const events = fields.length === 0 ? [] : await saveDefinition(scope, row, fields)
  if (fields.includes('dependsOn')) await reconsiderOutages(scope)
  await store.saveStatuses(scope, statusChange === null ? [] : [statusChange])
  const after = statusChange === null ? row : { ...row, status: statusChange.status }
  const isSame = fields.length === 0 && statusChange === null
  return {
    result: await presentComponent(scope, id),
    events: [...ended.events, ...events],
    audit: [...ended.audit, ...(isSame ? [] : [auditComponent('update', before, after)])],
  }
}

const validateIntegration = async (scope: Scope, integrationId: string): Promise<void> => {
  if ((await findIntegrations(scope, [integrationId])).size > 0) return
  throw invalid(ruleIssue('integrationId', 'exists'))
}

/** Copies a component below the same parent, without its descendants. */
export const copyComponent = async (
  scope: Scope,
  id: string,
  sealer: Sealer,
): Promise<Outcome<Component>> => {
  const { organizationId, now } = scope
  await store.shareLockOnPrivateLocations(scope)
  await store.lockComponentTree(scope)
  const original = (await store.lockComponents(scope, [id])).get(id)
  if (original === undefined) throw notFound()
  const copyId = newId()
  const reencrypt = headerReencrypter(sealer, organizationId, { from: id, to: copyId })
  const row = copiedComponentRow(original, { id: copyId, reencrypt, now })
  await store.insertComponent(scope, row)
  return {
    result: await presentComponent(scope, copyId),
    events: [componentEvent('created', row, idsOf((await store.ancestorsOf(scope, [id])).get(id)))],
    audit: [auditComponent('create', null, row)],
  }
}

/** Applies all updates or none; results are in the order of the updates. */
export const updateComponents = async (
  scope: Scope,
  updates: readonly BulkUpdate[],
  { sealer, endedChecks }: ComponentChangeDeps,
): Promise<Outcome<Component[]>> => {
  const ids = distinctIds(updates)
  const disabled = updates.filter(({ isEnabled }) => isEnabled === false).map(({ id }) => id)
  const checks = { disabled, deleted: [] }
  const ended = await endedChecks.apply(scope, checks, ids)
  const rows = await store.lockComponents(scope, ids)
  const decided = updates.map(({ id, ...patch }, index) => {
    const before = rows.get(id)
    if (before === undefined) throw invalidId(index, 'exists')
    const seal = headerEncrypter(sealer, scope.organizationId, id)
    return { before, ...patchedComponentRow({ row: before, patch, seal, now: scope.now }) }
  })
  const redefined = decided.filter(({ fields }) => fields.length > 0).map(({ row }) => row)
  await store.saveBulkUpdate(scope, redefined)
  const statusChanges = decided.flatMap(({ statusChange }) => statusChange ?? [])
  await store.saveStatuses(scope, statusChanges)
  const changed = decided.filter(
    (change) => change.fields.length > 0 || change.statusChange !== null,
  )
  const chains = await store.ancestorsOf(
    scope,
    redefined.map(({ id }) => id),
  )
  return {
    result: await presentInOrder(scope, ids),
    events: [
      ...ended.events,
      ...redefined.map((row) => componentEvent('updated', row, idsOf(chains.get(row.id)))),
    ],
    audit: [
      ...ended.audit,
      ...changed.map(({ before, row, statusChange }) =>
        auditComponent('update', before, { ...row, status: statusChange?.status ?? row.status }),
      ),
    ],
  }
}

const distinctIds = (updates: readonly BulkUpdate[]): string[] => {
  const ids = updates.map(({ id }) => id)
  const repeated = ids.findIndex((id, index) => ids.indexOf(id) < index)
  if (repeated >= 0) throw invalidId(repeated, 'distinct')
  return ids
}

const invalidId = (index: number, rule: 'exists' | 'distinct') =>
  invalid(ruleIssue(`updates[${index}].id`, rule))

/** Deletes a component and its descendants. */
export const deleteComponent = async (
  scope: Scope,
  id: string,
  { endedChecks }: Pick<ComponentChangeDeps, 'endedChecks'>,
): Promise<Outcome<typeof successReply>> => {
  await store.lockComponentTree(scope)
  const ids = await store.subtreeIds(scope, id)
  const checks = { deleted: ids, disabled: [] }
  const dependentIds = directDependents(await loadDependencies(scope), ids)
  const changedIds = [...ids, ...dependentIds]
  const ended = await endedChecks.apply(scope, checks, changedIds)
  const locked = await store.lockComponents(scope, changedIds)
  const rows = ids.flatMap((lockedId) => locked.get(lockedId) ?? [])
  const top = locked.get(id)
  if (top === undefined) throw notFound()
  await endedChecks.retainPages(scope, ids)
  const chains = await store.ancestorsOf(scope, changedIds)
  const detached = await removeFromDependencies(scope, ids)
  if (detached.length > 0) await reconsiderOutages(scope)
  await store.removeComponents(scope, ids)
  return {
    result: successReply,
    events: [
      ...ended.events,
      ...detached.map((row) => componentEvent('updated', row, idsOf(chains.get(row.id)))),
      ...rows.map((row) => {
        const deleted = { ...row, version: row.version + 1 }
        return componentEvent('deleted', deleted, idsOf(chains.get(row.id)))
      }),
    ],
    audit: [...ended.audit, auditComponent('delete', top, null)],
  }
}

/** Saves the statuses that follow from changed claims. */
export const saveDerivedStatuses = async (
  scope: Scope,
  claims: ReadonlyMap<string, StatusClaims>,
): Promise<void> => {
  const rows = await store.findComponents(scope, [...claims.keys()])
  const changes = [...rows.values()].map((row) =>
    deriveStatus(row, claims.get(row.id) ?? row.claims, scope.now),
  )
  await store.saveStatuses(scope, changes)
}

/** Validates the new parent and returns the ids of all ancestors. */
const resolveAncestors = async (
  scope: Scope,
  position: { id: string | null; parentId: string | null },
): Promise<string[]> => {
  const { id, parentId } = position
  if (parentId === null) return []
  const parent = (await store.findComponents(scope, [parentId])).get(parentId)
  if (parent === undefined) throw invalid(ruleIssue('parentComponentId', 'exists'))
  const above = (await store.ancestorsOf(scope, [parentId])).get(parentId)
  const ancestorIds = [parentId, ...idsOf(above)]
  const below = id === null ? [] : await store.subtreeIds(scope, id)
  const nodes = [...(await store.findComponents(scope, below)).values()]
  validateParent({ id, ancestorIds, height: id === null ? 0 : subtreeHeight(id, nodes) })
  return ancestorIds
}

/**
 * Saves the row and returns its event; after a move also events of the descendants, whose ancestors
 * changed.
 */
const saveDefinition = async (
  scope: Scope,
  row: ComponentRow,
  fields: readonly string[],
): Promise<EventDraft[]> => {
  const { id, parentComponentId: parentId } = row
  const moves = fields.includes('parentComponentId')
  const ancestorIds = moves
    ? await resolveAncestors(scope, { id, parentId })
    : idsOf((await store.ancestorsOf(scope, [id])).get(id))
  await store.saveDefinition(scope, row)
  const events = [componentEvent('updated', row, ancestorIds)]
  if (!moves) return events
  const below = (await store.subtreeIds(scope, id)).filter((subtreeId) => subtreeId !== id)
  const moved = await store.raiseVersions(scope, below)
  const chains = await store.ancestorsOf(scope, below)
  return [
    ...events,
    ...moved.map((component) =>
      componentEvent('updated', component, idsOf(chains.get(component.id))),
    ),
  ]
}

const idsOf = (chain: readonly store.Ancestor[] = []): string[] => chain.map(({ id }) => id)

export const presentInOrder = async (
  scope: Scope,
  ids: readonly string[],
): Promise<Component[]> => {
  const rows = await store.findComponents(scope, ids)
  return presentComponents(
    scope,
    ids.map((id) => rows.get(id) as ComponentRow),
  )
}

const presentComponent = async (scope: Scope, id: string): Promise<Component> => {
  const rows = await store.findComponents(scope, [id])
  const [component] = await presentComponents(scope, [...rows.values()])
  return component as Component
}
