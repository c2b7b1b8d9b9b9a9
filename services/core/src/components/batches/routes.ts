/** Operations for config-sync: list all definitions, and apply many changes as one batch. */
import {
  type ComponentBatch,
  componentBatchOperations,
  MAX_DEFINITIONS_PER_PAGE,
  MAX_REFERENCES_PER_REPLY,
  type MemberAddress,
  throwIssues,
  unavailable,
} from '@status-page/contracts'
import type { OutboundPolicy } from '@status-page/outbound'
import type { Scope } from '@status-page/postgres'
import { type Client, createRoutes, type Route } from '@status-page/service'
import type { ComponentRow } from '../../tables.ts'
import {
  type LocationFields,
  locationIssues,
  lockPrivateLocations,
} from '../location-validation.ts'
import { findComponents } from '../store.ts'
import { checkTargets, resolveTargets, type TargetField, targetsIn } from '../target-validation.ts'
import { applyBatch, type ComponentBatchDeps, dryRunBatch } from './changes.ts'
import { definitionOf } from './rules.ts'
import { listComponentsAfterId } from './store.ts'

interface Deps extends ComponentBatchDeps {
  policy: OutboundPolicy
  monitor: Client
  /** Applies pending member events of the organization; returns false when that fails. */
  areMembersUpToDate(organizationId: string): Promise<boolean>
  listMembers(scope: Scope, after: string | null, limit: number): Promise<ListedMember[]>
}

type ListedMember = MemberAddress & { id: string }

export const componentBatchRoutes = ({ policy, monitor, ...deps }: Deps): Route[] =>
  createRoutes(componentBatchOperations, {
    definitions: async ({ query, read }) => {
      const rows = await read((scope) => listComponentsAfterId(scope, query.after ?? null))
      const next = rows.length < MAX_DEFINITIONS_PER_PAGE ? null : (rows.at(-1)?.id ?? null)
      return { data: rows.map(definitionOf), next }
    },

    otherDefinitions: ({ query, read }) => read((scope) => deps.definitions.list(scope, query)),

    members: async ({ query, organizationId, read }) => {
      if (!(await deps.areMembersUpToDate(organizationId))) {
        throw unavailable('Members are temporarily unavailable')
      }
      const after = query.after ?? null
      const rows = await read((scope) => deps.listMembers(scope, after, MAX_REFERENCES_PER_REPLY))
      return {
        data: rows.map(({ userId, email }) => ({ userId, email })),
        next: rows.length < MAX_REFERENCES_PER_REPLY ? null : (rows.at(-1)?.id ?? null),
      }
    },

    apply: async (call) => {
      const { body: batch, organizationId, read, change } = call
      const stored = await read((scope) =>
        findComponents(
          scope,
          batch.update.map(({ id }) => id),
        ),
      )
      const [targets, locations] = [targetsOf(batch, stored), locationsOf(batch, stored)]
      if (batch.mode === 'dry-run') {
        // DNS lookups happen only in the dry run; each check validates its target again.
        throwIssues(await resolveTargets(targets, policy))
        throwIssues(await locationIssues(locations, monitor, call))
        const { definitions = {} } = batch
        throwIssues(await deps.definitions.findTaken(organizationId, definitions))
      } else throwIssues(await checkTargets(targets, policy))
      if (batch.mode !== 'apply') return read((scope) => dryRunBatch(scope, batch, deps))
      return change(async (scope) => {
        await lockPrivateLocations(scope, locations, monitor, call)
        return applyBatch(scope, batch, deps)
      })
    },
  })

type StoredComponents = ReadonlyMap<string, Pick<ComponentRow, 'endpoint'>>

const targetsOf = (batch: ComponentBatch, stored: StoredComponents): TargetField[] =>
  entriesOf(batch).flatMap(({ path, fields, id }) =>
    targetsIn(fields, `${path}.`, stored.get(id)?.endpoint),
  )

/** Changed URLs and locations, each with the stored value of the other field. */
const locationsOf = (batch: ComponentBatch, stored: StoredComponents): LocationFields[] =>
  entriesOf(batch).flatMap(({ path, fields, id }) => {
    const given = locationFieldsIn(fields)
    if (given.url === undefined && given.locations === undefined) return []
    const known = locationFieldsIn(stored.get(id)?.endpoint ?? {})
    return [{ url: known.url, locations: known.locations, ...given, path: `${path}.` }]
  })

const locationFieldsIn = (fields: object): Partial<LocationFields> => fields

const entriesOf = ({ create, update }: ComponentBatch) => [
  ...create.map(({ id, component }, index) => ({
    id,
    path: `create[${index}].component`,
    fields: component,
  })),
  ...update.map(({ id, patch }, index) => ({
    id,
    path: `update[${index}].patch`,
    fields: patch,
  })),
]
