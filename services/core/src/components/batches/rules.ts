/** Validation of a batch of components as a whole, by the rules of single components. Pure. */
import {
  type AuditDraft,
  type ComponentBatch,
  type ComponentDefinition,
  type Cooperative,
  collectIssues,
  conflict,
  type EventDraft,
  type Issue,
  MAX_COMPONENT_DEPTH,
  MAX_ISSUES,
  throwIssues,
} from '@status-page/contracts'
import type { ComponentRow } from '../../tables.ts'
import { type Dependencies, dependencyProblems } from '../dependencies/graph.ts'
import type { EncryptHeader } from '../request-headers.ts'
import {
  auditComponent,
  componentEvent,
  newComponentRow,
  patchedComponentRow,
  type StatusChange,
} from '../rules.ts'
import { ancestorIdsOf } from '../tree.ts'

type Parents = ReadonlyMap<string, string | null>

export interface ValidatedComponentBatch {
  created: ComponentRow[]
  /** `statusChange` is null when the change of the definition leaves the status as it is. */
  updated: { before: ComponentRow; row: ComponentRow; statusChange: StatusChange | null }[]
  removed: ComponentRow[]
  /** Ids of components that the batch does not change but whose ancestors it moves. */
  movedIds: string[]
  /** Parents of all components after the batch. */
  parents: Parents
}

interface BatchInput {
  batch: ComponentBatch
  organizationId: string
  /** Locked rows that the batch updates or removes. */
  rows: ReadonlyMap<string, ComponentRow>
  /** Parents of all components before the batch. */
  parents: Parents
  names: ReadonlyMap<string, string>
  /** Dependencies of all components before the batch. */
  dependencies: Dependencies
  sealFor: (id: string) => EncryptHeader
  now: Date
}

/**
 * Collects the problems of all entries, each with its field in the batch:
 * `create[3].component.url`.
 */
export function* validateBatch(input: BatchInput): Cooperative<ValidatedComponentBatch> {
  const { batch, parents } = input
  const issues: Issue[] = []
  const created: ValidatedComponentBatch['created'] = []
  for (const [index, entry] of batch.create.entries()) {
    created.push(...collectIssues(issues, `create[${index}].component`, () => create(input, entry)))
    yield
  }
  const updated: ValidatedComponentBatch['updated'] = []
  for (const [index, entry] of batch.update.entries()) {
    updated.push(...collectIssues(issues, `update[${index}].patch`, () => update(input, entry)))
    yield
  }
  const removed = batch.remove.map((removal) => lockedRow(input, removal))
  const next = new Map(parents)
  for (const { id, parentComponentId } of created) next.set(id, parentComponentId)
  for (const { row } of updated) next.set(row.id, row.parentComponentId)
  for (const { id } of removed) next.delete(id)
  const dependencies = dependenciesAfter(input, { created, updated, removed })
  const graphIssues = [...treeIssues(batch, next), ...dependencyIssues(batch, dependencies, next)]
  throwIssues([...issues, ...graphIssues].slice(0, MAX_ISSUES))
  validateNewNames(input, { created, updated, removed })
  const changed = updated.filter(({ before, row }) => before !== row)
  return {
    created,
    updated: changed,
    removed,
    parents: next,
    movedIds: movedBelow(created, changed, next),
  }
}

type ChangedRows = Pick<ValidatedComponentBatch, 'created' | 'updated' | 'removed'>

/** Unchanged components lose their dependencies on removed ones. */
const dependenciesAfter = (
  { batch, dependencies }: BatchInput,
  { created, updated, removed }: ChangedRows,
): Dependencies => {
  const removedIds = new Set(removed.map(({ id }) => id))
  const given = new Set(
    batch.update.flatMap(({ id, patch }) => (patch.dependsOn === undefined ? [] : [id])),
  )
  const after = new Map(
    [...dependencies].map(([id, listed]) => [
      id,
      listed.filter((dependencyId) => !removedIds.has(dependencyId)),
    ]),
  )
  for (const { id, dependsOn } of created) after.set(id, dependsOn)
  for (const { row } of updated) if (given.has(row.id)) after.set(row.id, row.dependsOn)
  return new Map([...after].filter(([id, listed]) => listed.length > 0 && !removedIds.has(id)))
}

const dependencyIssues = (
  batch: ComponentBatch,
  dependencies: Dependencies,
  parents: Parents,
): Issue[] => {
  const entries = entriesOf(batch)
  const problems = dependencyProblems(
    dependencies,
    entries.map(({ id }) => id),
  )
  return entries.flatMap(({ id, path }): Issue[] => {
    const field = `${path}.dependsOn`
    const unknown = (dependencies.get(id) ?? []).flatMap((dependencyId, index): Issue[] =>
      parents.has(dependencyId)
        ? []
        : [{ field: `${field}[${index}]`, message: `dependsOn[${index}] does not exist` }],
    )
    const message = problems.get(id)
    return message === undefined ? unknown : [...unknown, { field, message }]
  })
}

/**
 * Rejects created names that exist: the batch was planned without them, or it would update that
 * component.
 */
const validateNewNames = (
  { names }: BatchInput,
  { created, updated, removed }: ChangedRows,
): void => {
  const others = new Map(names)
  for (const { row } of updated) others.set(row.id, row.name)
  for (const { id } of removed) others.delete(id)
  const taken = new Set(others.values())
  const duplicate = created.find(({ name }) => taken.has(name))
  if (duplicate === undefined) return
  throw conflict(
    'version_mismatch',
    `A component named ${duplicate.name} was created in the meantime`,
  )
}

const create = (input: BatchInput, { id, component: body }: ComponentBatch['create'][number]) => {
  if (input.parents.has(id)) throw conflict('version_mismatch', 'A component already exists')
  const { organizationId, now, sealFor } = input
  return newComponentRow({
    id,
    organizationId,
    body,
    now,
    source: 'config',
    seal: sealFor(id),
  })
}

const update = (input: BatchInput, change: ComponentBatch['update'][number]) => {
  const { sealFor, now } = input
  const before = lockedRow(input, change)
  const { row, statusChange } = patchedComponentRow({
    row: before,
    patch: change.patch,
    seal: sealFor(before.id),
    now,
  })
  return { before, row, statusChange }
}

/** Row at the version from which the batch was planned. */
const lockedRow = (
  { rows }: BatchInput,
  { id, version }: { id: string; version: number },
): ComponentRow => {
  const row = rows.get(id)
  if (row === undefined)
    throw conflict('version_mismatch', 'A component was deleted in the meantime')
  if (row.version !== version) {
    throw conflict('version_mismatch', `The component ${row.name} was changed in the meantime`)
  }
  return row
}

const treeIssues = (batch: ComponentBatch, parents: Parents): Issue[] => {
  for (const [id, parentId] of parents) {
    if (parentId !== null && !parents.has(parentId) && !isNamed(batch, id)) {
      throw conflict('version_mismatch', 'A component is nested under one that is to be removed')
    }
  }
  const deepest = depthsBelow(parents)
  return entriesOf(batch).flatMap(({ id, path }): Issue[] => {
    const message = treeProblem(id, parents, deepest)
    return message === null ? [] : [{ field: `${path}.parentComponentId`, message }]
  })
}

const entriesOf = ({ create, update }: ComponentBatch): { id: string; path: string }[] => [
  ...create.map(({ id }, index) => ({ id, path: `create[${index}].component` })),
  ...update.map(({ id }, index) => ({ id, path: `update[${index}].patch` })),
]

const isNamed = ({ create, update }: ComponentBatch, id: string): boolean =>
  create.some((entry) => entry.id === id) || update.some((entry) => entry.id === id)

const treeProblem = (
  id: string,
  parents: Parents,
  deepest: ReadonlyMap<string, number>,
): string | null => {
  const parentId = parents.get(id) ?? null
  if (parentId === null) return null
  if (!parents.has(parentId)) return 'parentComponentId does not exist'
  const above = ancestorIdsOf(parents, parentId)
  if (above.includes(id))
    return 'parentComponentId must not be a subcomponent of the component itself'
  return above.length + 1 + (deepest.get(id) ?? 0) > MAX_COMPONENT_DEPTH
    ? `Components can be nested at most ${MAX_COMPONENT_DEPTH} levels deep`
    : null
}

/** Levels below each component with descendants; a cycle stops at the maximum depth. */
const depthsBelow = (parents: Parents): Map<string, number> => {
  const depths = new Map<string, number>()
  for (const id of parents.keys()) {
    const above = ancestorIdsOf(parents, parents.get(id) ?? null)
    for (const [index, ancestor] of above.entries()) {
      depths.set(ancestor, Math.max(depths.get(ancestor) ?? 0, index + 1))
    }
  }
  return depths
}

/** Excludes created and changed components, whose own events carry their ancestors. */
const movedBelow = (
  created: ValidatedComponentBatch['created'],
  changed: ValidatedComponentBatch['updated'],
  parents: Parents,
): string[] => {
  const moved = new Set(
    changed
      .filter(({ before, row }) => before.parentComponentId !== row.parentComponentId)
      .map(({ row }) => row.id),
  )
  if (moved.size === 0) return []
  const published = new Set([...created, ...changed.map(({ row }) => row)].map(({ id }) => id))
  return [...parents.keys()].filter(
    (id) =>
      !published.has(id) &&
      ancestorIdsOf(parents, parents.get(id) ?? null).some((above) => moved.has(above)),
  )
}

/**
 * `changed` are rows that the batch changes without naming them, with raised versions; `before` are
 * the parents before the batch.
 */
export function* batchEvents(
  { created, updated, removed, parents }: ValidatedComponentBatch,
  { changed, before }: { changed: readonly ComponentRow[]; before: Parents },
): Cooperative<{ events: EventDraft[]; audit: AuditDraft[] }> {
  const above = (row: ComponentRow, tree: Parents) => ancestorIdsOf(tree, row.parentComponentId)
  const events: EventDraft[] = []
  const audit: AuditDraft[] = []
  for (const row of created) {
    events.push(componentEvent('created', row, above(row, parents)))
    audit.push(auditComponent('create', null, row))
    yield
  }
  for (const { before, row } of updated) {
    events.push(componentEvent('updated', row, above(row, parents)))
    audit.push(auditComponent('update', before, row))
    yield
  }
  events.push(...changed.map((row) => componentEvent('updated', row, above(row, parents))))
  for (const row of removed) {
    const deleted = { ...row, version: row.version + 1 }
    events.push(componentEvent('deleted', deleted, above(row, before)))
    audit.push(auditComponent('delete', row, null))
    yield
  }
  return { events, audit }
}

export const definitionOf = (row: ComponentRow): ComponentDefinition => {
  const { id, version, name, type, description, isEnabled, isMuted, parentComponentId } = row
  const { dependsOn, icon, showIconOnStatusPage, order, managedByConfig } = row
  const { endpoint, metric, upstream } = row
  return {
    id,
    version,
    name,
    type,
    description,
    isEnabled,
    isMuted,
    parentComponentId,
    dependsOn,
    icon,
    showIconOnStatusPage,
    order,
    managedByConfig,
    endpoint,
    metric,
    upstream,
  }
}
