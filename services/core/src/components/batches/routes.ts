/** Operations for config-sync: list all definitions, and apply many changes as one batch. */
import {
  type ComponentBatch,
  checkOperations,
  componentBatchOperations,
  type Issue,
  invalid,
  MAX_DEFINITIONS_PER_PAGE,
} from '@status-page/contracts'
import { checkUrl, type OutboundPolicy, resolveUrl } from '@status-page/outbound'
import { type Call, type Client, createRoutes, type Route } from '@status-page/service'
import type { ComponentChangeDeps } from '../changes.ts'
import { applyBatch, dryRunBatch } from './changes.ts'
import { definitionOf } from './rules.ts'
import { listComponentsAfterId } from './store.ts'

interface Deps extends ComponentChangeDeps {
  policy: OutboundPolicy
  monitor: Client
}

export const componentBatchRoutes = ({ policy, monitor, ...deps }: Deps): Route[] =>
  createRoutes(componentBatchOperations, {
    definitions: async ({ query, read }) => {
      const rows = await read((scope) => listComponentsAfterId(scope, query.after ?? null))
      const next = rows.length < MAX_DEFINITIONS_PER_PAGE ? null : (rows.at(-1)?.id ?? null)
      return { data: rows.map(definitionOf), next }
    },

    apply: async (call) => {
      const { body: batch, read, change } = call
      if (batch.mode === 'try') {
        // DNS lookups happen only in the dry run; each check validates its target again.
        throwIssues(await urlIssues(batch, withLookupBudget(policy)))
        throwIssues(await locationIssues(batch, monitor, call))
      } else throwIssues(await urlIssues(batch, async (url) => checkUrl(url, policy)))
      return batch.mode === 'apply'
        ? change((scope) => applyBatch(scope, batch, deps))
        : read((scope) => dryRunBatch(scope, batch, deps.sealer))
    },
  })

const throwIssues = ([first, ...others]: Issue[]): void => {
  if (first !== undefined) throw invalid(first, ...others)
}

const LOOKUP_BUDGET_MS = 8_000
const MAX_CONCURRENT_LOOKUPS = 32

type UrlValidator = (url: string) => Promise<{ ok: true } | { ok: false; message: string }>

/**
 * Host names that were not resolved within the budget are accepted, like names without a DNS
 * response.
 */
const withLookupBudget = (policy: OutboundPolicy): UrlValidator => {
  const deadline = performance.now() + LOOKUP_BUDGET_MS
  return async (url) =>
    performance.now() < deadline ? resolveUrl(url, policy) : checkUrl(url, policy)
}

/** Validates each origin once. */
const urlIssues = async (batch: ComponentBatch, validateUrl: UrlValidator): Promise<Issue[]> => {
  const entries = entriesOf(batch).flatMap(({ path, fields }) => {
    const { url } = fields as { url?: unknown }
    return typeof url === 'string' ? [{ field: `${path}.url`, url }] : []
  })
  const waiting = [...new Set(entries.map(({ url }) => originOf(url)))]
  const problems = new Map<string, string>()
  const work = async () => {
    for (let origin = waiting.pop(); origin !== undefined; origin = waiting.pop()) {
      const verdict = await validateUrl(origin)
      if (!verdict.ok) problems.set(origin, verdict.message)
    }
  }
  await Promise.all(Array.from({ length: MAX_CONCURRENT_LOOKUPS }, work))
  return entries.flatMap(({ field, url }): Issue[] => {
    const message = problems.get(originOf(url))
    return message === undefined ? [] : [{ field, message }]
  })
}

const originOf = (url: string): string => new URL(url).origin

/** Rejects locations without a replica, from which no check would ever run. */
const locationIssues = async (
  batch: ComponentBatch,
  monitor: Client,
  { caller, requestId }: Pick<Call, 'caller' | 'requestId'>,
): Promise<Issue[]> => {
  const entries = entriesOf(batch).flatMap(({ path, fields }) => {
    const { locations } = fields as { locations?: string[] | null }
    return (locations ?? []).map((location, index) => {
      return { field: `${path}.locations[${index}]`, location }
    })
  })
  if (entries.length === 0) return []
  const live = (await monitor.call(checkOperations.locations, { caller, requestId })).locations
  return entries
    .filter(({ location }) => !live.includes(location))
    .map(({ field }) => ({
      field,
      message: 'The location has no active monitor',
      expected: live,
    }))
}

const entriesOf = ({ create, update }: ComponentBatch) => [
  ...create.map(({ component }, index) => ({
    path: `create[${index}].component`,
    fields: component,
  })),
  ...update.map(({ patch }, index) => ({ path: `update[${index}].patch`, fields: patch })),
]
