/** SQL of integrations. */
import {
  conflict,
  type integrationOperations,
  limitAndOffset,
  type Query,
  sortOrderOf,
} from '@status-page/contracts'
import { type Scope, violatedUniqueConstraint } from '@status-page/postgres'
import { and, asc, count, desc, eq, isNull, type SQL, sql } from 'drizzle-orm'
import { type IntegrationRow, integrations, metrics } from '../tables.ts'

/**
 * Channel notified with the id of an integration or a metric; the holder of its shard reloads it.
 */
export const METRIC_CHANGED_CHANNEL = 'integrations_metric_changed'

export const notifyMetricChanged = async (scope: Scope, id: string): Promise<void> => {
  await scope.tx.execute(sql`SELECT pg_notify(${METRIC_CHANGED_CHANNEL}, ${id})`)
}

const own = ({ organizationId }: Scope) => eq(integrations.organizationId, organizationId)

type ListQuery = Query<typeof integrationOperations.list>

const sortKeys: Record<ListQuery['sortBy'], SQL> = {
  name: sql`${integrations.name}`,
  createdAt: sql`${integrations.createdAt}`,
  updatedAt: sql`${integrations.updatedAt}`,
}

export const listIntegrations = async (scope: Scope, query: ListQuery) => {
  const { limit, offset } = limitAndOffset(query)
  const direction = sortOrderOf(query) === 'asc' ? asc : desc
  const rows = await scope.tx
    .select()
    .from(integrations)
    .where(own(scope))
    .orderBy(direction(sortKeys[query.sortBy]), direction(integrations.id))
    .limit(limit)
    .offset(offset)
  const [counted] = await scope.tx.select({ total: count() }).from(integrations).where(own(scope))
  return { rows, total: counted?.total ?? 0 }
}

export const findIntegration = async (
  scope: Scope,
  id: string,
): Promise<IntegrationRow | undefined> => {
  const [row] = await scope.tx
    .select()
    .from(integrations)
    .where(and(own(scope), eq(integrations.id, id)))
  return row
}

/** Locks the integration; `share` prevents its deletion during the transaction. */
export const lockIntegration = async (
  scope: Scope,
  id: string,
  strength: 'update' | 'share' = 'update',
): Promise<IntegrationRow | undefined> => {
  const [row] = await scope.tx
    .select()
    .from(integrations)
    .where(and(own(scope), eq(integrations.id, id)))
    .for(strength)
  return row
}

export const insertIntegration = (scope: Scope, row: IntegrationRow): Promise<void> =>
  named(async () => {
    await scope.tx.insert(integrations).values(row)
  })

export const saveIntegration = (scope: Scope, row: IntegrationRow): Promise<void> =>
  named(async () => {
    await scope.tx
      .update(integrations)
      .set(row)
      .where(and(own(scope), eq(integrations.id, row.id)))
    await notifyMetricChanged(scope, row.id)
  })

/**
 * Deletes the integration with its metric queries; the caller has checked that no component needs
 * it.
 */
export const removeIntegration = async (scope: Scope, id: string): Promise<void> => {
  await scope.tx
    .update(metrics)
    .set({ deletedAt: sql`now()`, isEnabled: false, query: '' })
    .where(and(ofIntegration(scope, id), eq(metrics.kind, 'query')))
  await scope.tx.delete(integrations).where(and(own(scope), eq(integrations.id, id)))
  await notifyMetricChanged(scope, id)
}

export const isIntegrationInUse = async (scope: Scope, id: string): Promise<boolean> => {
  const [used] = await scope.tx
    .select({ id: metrics.id })
    .from(metrics)
    .where(and(ofIntegration(scope, id), eq(metrics.kind, 'component')))
    .limit(1)
  return used !== undefined
}

const ofIntegration = ({ organizationId }: Scope, id: string) =>
  and(
    eq(metrics.organizationId, organizationId),
    eq(metrics.integrationId, id),
    isNull(metrics.deletedAt),
  )

export const saveTest = async (scope: Scope, id: string, isSuccess: boolean): Promise<void> => {
  await scope.tx
    .update(integrations)
    .set({ lastTestAt: scope.now, lastTestSuccess: isSuccess })
    .where(and(own(scope), eq(integrations.id, id)))
}

const named = async (work: () => Promise<void>): Promise<void> => {
  try {
    await work()
  } catch (error) {
    if (violatedUniqueConstraint(error) !== 'integrations_name') throw error
    throw conflict('duplicate', 'An integration with this name already exists')
  }
}
