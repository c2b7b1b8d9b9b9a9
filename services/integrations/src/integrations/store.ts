/** SQL of integrations. */
import { conflict } from '@status-page/contracts'
import { resourceTable, type Scope, violatedUniqueConstraint } from '@status-page/postgres'
import { and, eq, isNull, sql } from 'drizzle-orm'
import { type IntegrationRow, integrations, metrics } from '../tables.ts'

/**
 * Channel notified with the id of an integration or a metric; the holder of its shard reloads it.
 */
export const METRIC_CHANGED_CHANNEL = 'integrations_metric_changed'

export const notifyMetricChanged = async (scope: Scope, id: string): Promise<void> => {
  await scope.tx.execute(sql`SELECT pg_notify(${METRIC_CHANGED_CHANNEL}, ${id})`)
}

const table = resourceTable(integrations)

export const { find: findIntegration, list: listIntegrations } = table

/** Locks the integration; `share` prevents its deletion during the transaction. */
export const lockIntegration = async (
  scope: Scope,
  id: string,
  strength: 'update' | 'share' = 'update',
): Promise<IntegrationRow | undefined> => {
  const [row] = await table.select(scope, eq(integrations.id, id)).for(strength)
  return row
}

export const insertIntegration = (scope: Scope, row: IntegrationRow): Promise<void> =>
  named(() => table.insert(scope, row))

export const saveIntegration = (scope: Scope, row: IntegrationRow): Promise<void> =>
  named(async () => {
    await table.save(scope, row)
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
  await table.remove(scope, id)
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

export const saveTest = (scope: Scope, id: string, isSuccess: boolean): Promise<void> => {
  const test = { lastTestAt: scope.now, lastTestSuccess: isSuccess }
  return table.update(scope, test, eq(integrations.id, id))
}

const named = async (work: () => Promise<void>): Promise<void> => {
  try {
    await work()
  } catch (error) {
    if (violatedUniqueConstraint(error) !== 'integrations_name') throw error
    throw conflict('duplicate', 'An integration with this name already exists')
  }
}
