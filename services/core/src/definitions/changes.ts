/**
 * Reads definitions and applies their changes as part of a batch. Resources are removed before the
 * components of the batch change and saved afterwards, so that they can refer to new components.
 */
import { createHash } from 'node:crypto'
import {
  type Cooperative,
  type CoreDefinitionChanges,
  type CoreDefinitionType,
  collectIssues,
  conflict,
  coreDefinitionTypes,
  type DefinitionChanges,
  type Issue,
  issuesOfError,
  MAX_DEFINITIONS_PER_REPLY,
  type ResourceDefinition,
  throwIssues,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { runCooperatively } from '@status-page/service'
import type { OtherDefinitions } from '../components/batches/changes.ts'
import type { ChangeDrafts, ConfiguredRow, DefinitionContext } from '../configured-resource.ts'
import type { AnyConfiguredResource, DefinitionRegistry } from './registry.ts'

const listDefinitions = async (
  registry: DefinitionRegistry,
  scope: Scope,
  { type, after }: { type: CoreDefinitionType; after?: string },
): Promise<{ data: ResourceDefinition[]; next: string | null }> => {
  const resource = registry[type]
  const rows = await resource.list(scope, after ?? null, MAX_DEFINITIONS_PER_REPLY)
  const next = rows.length < MAX_DEFINITIONS_PER_REPLY ? null : (rows.at(-1)?.id ?? null)
  return { data: await runCooperatively(definitionsOf(resource, rows)), next }
}

function* definitionsOf(
  resource: AnyConfiguredResource,
  rows: readonly ConfiguredRow[],
): Cooperative<ResourceDefinition[]> {
  const definitions: ResourceDefinition[] = []
  for (const row of rows) {
    const fields = resource.fieldsOf(row) as ResourceDefinition['fields']
    const { id, managedByConfig } = row
    definitions.push({ id, etag: etagOf(fields), managedByConfig, fields })
    yield
  }
  return definitions
}

const etagOf = (fields: object): string =>
  createHash('sha256').update(JSON.stringify(fields)).digest('hex')

/** Part of a batch that changes resources of the registry. */
export const otherDefinitions = (registry: DefinitionRegistry): OtherDefinitions => ({
  list: (scope, query) => listDefinitions(registry, scope, query),

  async findTaken(organizationId, changes) {
    const issues: Issue[] = []
    for (const { type, resource, changed } of entriesOf(registry, changes)) {
      const found = (await resource.findTaken?.(organizationId, changed)) ?? []
      const path = `definitions.${type}`
      issues.push(...found.map((issue) => ({ ...issue, field: `${path}.${issue.field}` })))
    }
    return issues
  },

  async remove(scope, changes) {
    const drafts: ChangeDrafts[] = []
    for (const { resource, changed } of entriesOf(registry, changes)) {
      for (const row of await lockUnchanged(resource, scope, changed.remove)) {
        drafts.push(await resource.remove(scope, row))
      }
    }
    return drafts
  },

  async validate(scope, changes, components) {
    for (const { resource, changed } of entriesOf(registry, changes)) {
      await lockUnchanged(resource, scope, changed.remove)
    }
    const planned = await planAll(registry, scope, { changes, components })
    return [
      ...planned.flatMap(({ issues }) => issues),
      ...(await limitIssues(registry, scope, changes, ({ remove }) => remove.length)),
    ]
  },

  async save(scope, changes, components) {
    const planned = await planAll(registry, scope, { changes, components })
    throwIssues(planned.flatMap(({ issues }) => issues))
    throwIssues(await limitIssues(registry, scope, changes, () => 0))
    const drafts: ChangeDrafts[] = []
    for (const { resource, created, updated } of planned) {
      for (const { path, row } of created) {
        drafts.push(await withPath(path, resource.insert(scope, row)))
      }
      for (const { path, before, row } of updated) {
        drafts.push(await withPath(path, resource.save(scope, before, row)))
      }
    }
    return drafts
  },
})

/** Result of a change, whose issues begin with the path of its definition. */
const withPath = async (path: string, changed: Promise<ChangeDrafts>): Promise<ChangeDrafts> => {
  try {
    return await changed
  } catch (error) {
    throwIssues(
      issuesOfError(error).map((issue) => ({ ...issue, field: `${path}.${issue.field}` })),
    )
    throw error
  }
}

/** Issues of created definitions beyond the limit of their kind. */
const limitIssues = async (
  registry: DefinitionRegistry,
  scope: Scope,
  changes: CoreDefinitionChanges,
  pendingRemovals: (changed: DefinitionChanges) => number,
): Promise<Issue[]> => {
  const issues: Issue[] = []
  for (const { type, resource, changed } of entriesOf(registry, changes)) {
    const { limit } = resource
    if (limit === undefined || changed.create.length === 0) continue
    const present = (await limit.lockAndCount(scope)) - pendingRemovals(changed)
    const free = Math.max(0, limit.maximum - present)
    const beyond = changed.create.slice(free).map((_one, index) => free + index)
    const { message } = limit
    issues.push(
      ...beyond.map((at) => ({ field: `definitions.${type}.create[${at}].value`, message })),
    )
  }
  return issues
}

const planAll = async (
  registry: DefinitionRegistry,
  scope: Scope,
  input: { changes: CoreDefinitionChanges; components: ReadonlySet<string> },
): Promise<(PlannedRows & { resource: AnyConfiguredResource })[]> => {
  const { organizationId, now } = scope
  const context = { organizationId, components: input.components, now }
  const planned: (PlannedRows & { resource: AnyConfiguredResource })[] = []
  for (const { resource, changed, type } of entriesOf(registry, input.changes)) {
    const rows = await planRows(resource, scope, changed, { context, type })
    planned.push({ resource, ...rows })
  }
  return planned
}

interface ChangedDefinitions {
  type: CoreDefinitionType
  resource: AnyConfiguredResource
  changed: DefinitionChanges
}

const entriesOf = (
  registry: DefinitionRegistry,
  changes: CoreDefinitionChanges,
): ChangedDefinitions[] =>
  coreDefinitionTypes.flatMap((type) => {
    const changed: DefinitionChanges | undefined = changes[type]
    return changed === undefined ? [] : [{ type, resource: registry[type], changed }]
  })

interface PlannedRows {
  created: { path: string; row: ConfiguredRow }[]
  updated: { path: string; before: ConfiguredRow; row: ConfiguredRow }[]
  /** Problems with their fields in the batch: `definitions.sla.create[3].value.name`. */
  issues: Issue[]
}

const planRows = async (
  resource: AnyConfiguredResource,
  scope: Scope,
  { create, update }: DefinitionChanges,
  { context, type }: { context: DefinitionContext; type: CoreDefinitionType },
): Promise<PlannedRows> => {
  await refuseTakenNames(resource, scope, create)
  const stored = await lockUnchanged(resource, scope, update)
  return runCooperatively(validateRows(resource, { create, update, stored }, { context, type }))
}

function* validateRows(
  resource: AnyConfiguredResource,
  { create, update, stored }: Omit<DefinitionChanges, 'remove'> & { stored: ConfiguredRow[] },
  { context, type }: { context: DefinitionContext; type: CoreDefinitionType },
): Cooperative<PlannedRows> {
  const planned: PlannedRows = { created: [], updated: [], issues: [] }
  const { issues } = planned
  for (const [index, { id, value }] of create.entries()) {
    const path = `definitions.${type}.create[${index}].value`
    const rows = collectIssues(issues, path, () => resource.create(id, value, context))
    planned.created.push(...rows.map((row) => ({ path, row })))
    yield
  }
  for (const [index, before] of stored.entries()) {
    const path = `definitions.${type}.update[${index}].value`
    const row = () => resource.change(before, update[index]?.value, context)
    const changed = collectIssues(issues, path, row).filter((after) => after !== before)
    planned.updated.push(...changed.map((after) => ({ path, before, row: after })))
    yield
  }
  return planned
}

/** Rejects created names that exist: the batch was planned without them. */
const refuseTakenNames = async (
  resource: AnyConfiguredResource,
  scope: Scope,
  create: DefinitionChanges['create'],
): Promise<void> => {
  const names = create.map(({ value }) => resource.nameOf(value))
  const [taken] = await resource.findNames(scope, names)
  if (taken === undefined) return
  throw conflict('version_mismatch', `${taken} was created in the meantime`)
}

/** Rows with the definitions from which the batch was planned. */
const lockUnchanged = async (
  resource: AnyConfiguredResource,
  scope: Scope,
  expected: readonly { id: string; etag: string }[],
): Promise<ConfiguredRow[]> => {
  const ids = expected.map(({ id }) => id)
  const rows = new Map((await resource.lock(scope, ids)).map((row) => [row.id, row]))
  return runCooperatively(unchangedRows(resource, rows, expected))
}

function* unchangedRows(
  resource: AnyConfiguredResource,
  rows: ReadonlyMap<string, ConfiguredRow>,
  expected: readonly { id: string; etag: string }[],
): Cooperative<ConfiguredRow[]> {
  const unchanged: ConfiguredRow[] = []
  for (const { id, etag } of expected) {
    const row = rows.get(id)
    if (row === undefined) {
      throw conflict('version_mismatch', 'A resource was deleted in the meantime')
    }
    if (etagOf(resource.fieldsOf(row)) !== etag) {
      const name = resource.nameOf(row)
      throw conflict('version_mismatch', `${name} was changed in the meantime`)
    }
    unchanged.push(row)
    yield
  }
  return unchanged
}
