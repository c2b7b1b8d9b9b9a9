/**
 * Applies a batch in one transaction: all changes or none, and at most once. Changes of other
 * resources take part through `OtherDefinitions`.
 */
import {
  type ComponentBatch,
  type Cooperative,
  type CoreDefinitionChanges,
  type CoreDefinitionType,
  type Issue,
  invalid,
  REDACTED,
  type ResourceDefinition,
  type TransactionOutcome,
  throwIssues,
} from '@status-page/contracts'
import { recordAppliedBatch, type Scope } from '@status-page/postgres'
import {
  headerEncryptionContext,
  isSecretHeader,
  SealError,
  type Sealer,
} from '@status-page/secrets'
import { runCooperatively } from '@status-page/service'
import type { ChangeDrafts } from '../../configured-resource.ts'
import { componentBatches } from '../../tables.ts'
import { givenImages, requireUploads } from '../../uploads/references.ts'
import type { ImageField } from '../../uploads/rules.ts'
import type { ComponentChangeDeps } from '../changes.ts'
import { type Dependencies, directDependents } from '../dependencies/graph.ts'
import {
  loadDependencies,
  reconsiderOutages,
  removeFromDependencies,
} from '../dependencies/store.ts'
import { headerEncrypter } from '../request-headers.ts'
import { lockComponentTree, removeComponents, saveStatuses } from '../store.ts'
import { batchEvents, type ValidatedComponentBatch, validateBatch } from './rules.ts'
import * as store from './store.ts'

export type ComponentBatchReply = { isRepeat: boolean }

/** Part of a batch that changes resources which refer to components. */
export interface OtherDefinitions {
  list(
    scope: Scope,
    query: { type: CoreDefinitionType; after?: string },
  ): Promise<{ data: ResourceDefinition[]; next: string | null }>
  /** Problems of values that other organizations use. */
  findTaken(organizationId: string, changes: CoreDefinitionChanges): Promise<Issue[]>
  remove(scope: Scope, changes: CoreDefinitionChanges): Promise<ChangeDrafts[]>
  /** `components` are the ids that exist after the batch. Stores nothing. */
  validate(
    scope: Scope,
    changes: CoreDefinitionChanges,
    components: ReadonlySet<string>,
  ): Promise<Issue[]>
  /** Throws 400 with the issues that `validate` returns. */
  save(
    scope: Scope,
    changes: CoreDefinitionChanges,
    components: ReadonlySet<string>,
  ): Promise<ChangeDrafts[]>
}

export interface ComponentBatchDeps extends ComponentChangeDeps {
  definitions: OtherDefinitions
}

/** Removes other resources before their components and saves them after their components. */
export const applyBatch = async (
  scope: Scope,
  batch: ComponentBatch,
  deps: ComponentBatchDeps,
): Promise<TransactionOutcome<ComponentBatchReply>> => {
  const { definitions: changes = {} } = batch
  await lockComponentTree(scope)
  if (!(await recordAppliedBatch(scope, componentBatches, batch.id))) {
    return { result: { isRepeat: true } }
  }
  const removed = await deps.definitions.remove(scope, changes)
  const { components, ...changed } = await changeComponents(scope, batch, deps)
  const saved = await deps.definitions.save(scope, changes, components)
  const drafts = [...removed, changed, ...saved]
  return {
    result: { isRepeat: false },
    events: drafts.flatMap(({ events }) => events),
    audit: drafts.flatMap(({ audit }) => audit),
  }
}

const changeComponents = async (
  scope: Scope,
  batch: ComponentBatch,
  { endedChecks, ...deps }: ComponentChangeDeps,
): Promise<ChangeDrafts & { components: ReadonlySet<string> }> => {
  const disabled = batch.update.filter(({ patch }) => patch.isEnabled === false)
  const checks = { deleted: batch.remove.map(idOf), disabled: disabled.map(idOf) }
  const dependencies = await loadDependencies(scope)
  const ended = await endedChecks.apply(scope, checks, changedIdsOf(batch, dependencies))
  const { validated, before } = await validateLocked(scope, batch, { ...deps, dependencies })
  const { created, updated, removed, movedIds, parents } = validated
  await endedChecks.retainPages(scope, checks.deleted)
  await store.insertComponents(scope, created)
  await store.saveDefinitions(
    scope,
    updated.map(({ row }) => row),
  )
  await saveStatuses(
    scope,
    updated.flatMap(({ statusChange }) => statusChange ?? []),
  )
  const moved = await store.raiseVersionsInChunks(scope, movedIds)
  const removedIds = removed.map(idOf)
  const detached = removed.length > 0 ? await removeFromDependencies(scope, removedIds) : []
  const isGraphChanged =
    detached.length > 0 || batch.update.some(({ patch }) => 'dependsOn' in patch)
  if (isGraphChanged) await reconsiderOutages(scope)
  if (removed.length > 0) await removeComponents(scope, removedIds)
  const changed = [...moved, ...detached]
  const drafts = await runCooperatively(batchEvents(validated, { changed, before }))
  return {
    components: new Set(parents.keys()),
    events: [...ended.events, ...drafts.events],
    audit: [...ended.audit, ...drafts.audit],
  }
}

/** Components that the batch names, and those that lose a dependency. */
const changedIdsOf = ({ update, remove }: ComponentBatch, dependencies: Dependencies): string[] => {
  const dependentIds = directDependents(dependencies, remove.map(idOf))
  return [...new Set([...[...update, ...remove].map(idOf), ...dependentIds])]
}

const idOf = ({ id }: { id: string }): string => id

/** Validates like `applyBatch` and stores nothing. */
export const dryRunBatch = async (
  scope: Scope,
  batch: ComponentBatch,
  { definitions, ...deps }: ComponentBatchDeps,
): Promise<ComponentBatchReply> => {
  const dependencies = await loadDependencies(scope)
  const { validated } = await validateLocked(scope, batch, { ...deps, dependencies })
  const components = new Set(validated.parents.keys())
  const issues = await definitions.validate(scope, batch.definitions ?? {}, components)
  throwIssues(issues)
  return { isRepeat: false }
}

type ValidationDeps = Pick<ComponentChangeDeps, 'sealer' | 'baseUrl'> & {
  /** Dependencies of all components before the batch. */
  dependencies: Dependencies
}

const validateLocked = async (
  scope: Scope,
  batch: ComponentBatch,
  { sealer, baseUrl, dependencies }: ValidationDeps,
): Promise<{ validated: ValidatedComponentBatch; before: ReadonlyMap<string, string | null> }> => {
  const { organizationId, now } = scope
  const rows = await store.lockComponentsInChunks(scope, changedIdsOf(batch, dependencies))
  await requireUploads(scope, baseUrl, iconsOf(batch))
  const { parents: before, names } = await store.loadComponentTree(scope)
  const decrypted = await runCooperatively(decryptHeaders(batch, organizationId, sealer))
  const validated = await runCooperatively(
    validateBatch({
      organizationId,
      rows,
      now,
      parents: before,
      names,
      dependencies,
      batch: decrypted,
      sealFor: (id) => headerEncrypter(sealer, organizationId, id),
    }),
  )
  return { validated, before }
}

const iconsOf = ({ create, update }: ComponentBatch): ImageField[] =>
  [
    ...create.map(({ component }, index) => ({ path: `create[${index}].component`, component })),
    ...update.map(({ patch }, index) => ({ path: `update[${index}].patch`, component: patch })),
  ].flatMap(({ path, component }) =>
    givenImages(component as { icon?: string | null }, ['icon']).map(({ field, url }) => ({
      field: `${path}.${field}`,
      url,
    })),
  )

/** Batch with decrypted header values, so that validation is the same as for other callers. */
function* decryptHeaders(
  batch: ComponentBatch,
  organizationId: string,
  sealer: Sealer,
): Cooperative<ComponentBatch> {
  const open = (id: string, headers: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(headers).map(([name, value]) => {
        if (value === REDACTED || !isSecretHeader(name)) return [name, value]
        const context = headerEncryptionContext({ organizationId, componentId: id }, name)
        return [name, sealer.open(value, context)]
      }),
    )
  const withHeaders = <Fields extends object>(id: string, fields: Fields, path: string): Fields => {
    const { headers } = fields as { headers?: Record<string, string> | null }
    if (headers === undefined || headers === null) return fields
    try {
      return { ...fields, headers: open(id, headers) }
    } catch (error) {
      if (error instanceof SealError) throw invalid(notEncrypted(path))
      throw error
    }
  }
  const create: ComponentBatch['create'] = []
  for (const [index, { id, component }] of batch.create.entries()) {
    const path = `create[${index}].component.headers`
    create.push({ id, component: withHeaders(id, component, path) })
    yield
  }
  const update: ComponentBatch['update'] = []
  for (const [index, { id, version, patch }] of batch.update.entries()) {
    const path = `update[${index}].patch.headers`
    update.push({ id, version, patch: withHeaders(id, patch, path) })
    yield
  }
  return { ...batch, create, update }
}

const notEncrypted = (field: string): Issue => ({
  field,
  message: `${field} has a secret that is not encrypted for the component`,
})
