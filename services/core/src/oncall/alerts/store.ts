/** SQL of alerts. Open alerts of one cause are locked by schedule id. */
import {
  alertSeverities,
  alertStatuses,
  limitAndOffset,
  type oncallAlertOperations,
  type Query,
  sortOrderOf,
} from '@status-page/contracts'
import type { Scope, SystemScope } from '@status-page/postgres'
import { and, asc, count, desc, eq, gte, inArray, lt, lte, ne, type SQL, sql } from 'drizzle-orm'
import { type OncallAlertRow, oncallAlerts } from '../../tables.ts'

const own = ({ organizationId }: Scope) => eq(oncallAlerts.organizationId, organizationId)

type ListQuery = Query<typeof oncallAlertOperations.list>

export const listAlerts = async (scope: Scope, query: ListQuery) => {
  const where = and(own(scope), ...filters(query))
  const { limit, offset } = limitAndOffset(query)
  const direction = sortOrderOf(query) === 'asc' ? asc : desc
  const rows = await scope.tx
    .select()
    .from(oncallAlerts)
    .where(where)
    .orderBy(direction(sortKeys[query.sortBy]), direction(oncallAlerts.id))
    .limit(limit)
    .offset(offset)
  const [counted] = await scope.tx.select({ total: count() }).from(oncallAlerts).where(where)
  return { rows, total: counted?.total ?? 0 }
}

const filters = (query: ListQuery): (SQL | undefined)[] => {
  const { status, severity, scheduleId, componentId, from, to } = query
  return [
    status === undefined ? undefined : eq(oncallAlerts.status, status),
    severity === undefined ? undefined : eq(oncallAlerts.severity, severity),
    scheduleId === undefined ? undefined : eq(oncallAlerts.scheduleId, scheduleId),
    componentId === undefined ? undefined : eq(oncallAlerts.componentId, componentId),
    from === undefined ? undefined : gte(oncallAlerts.triggeredAt, new Date(from)),
    to === undefined ? undefined : lt(oncallAlerts.triggeredAt, new Date(to)),
  ]
}

/** Expression of the index on severity and status; the spelling must be the same. */
const arrayPosition = (values: readonly string[], column: SQL): SQL =>
  sql`array_position(${sql.raw(`'{${values.join(',')}}'::text[]`)}, ${column})`

const sortKeys: Record<ListQuery['sortBy'], SQL> = {
  triggeredAt: sql`${oncallAlerts.triggeredAt}`,
  severity: arrayPosition(alertSeverities, sql`${oncallAlerts.severity}`),
  status: arrayPosition(alertStatuses, sql`${oncallAlerts.status}`),
}

export const findAlert = async (scope: Scope, id: string): Promise<OncallAlertRow | undefined> => {
  const [row] = await scope.tx
    .select()
    .from(oncallAlerts)
    .where(and(own(scope), eq(oncallAlerts.id, id)))
  return row
}

export const lockAlert = async (scope: Scope, id: string): Promise<OncallAlertRow | undefined> => {
  const [row] = await scope.tx
    .select()
    .from(oncallAlerts)
    .where(and(own(scope), eq(oncallAlerts.id, id)))
    .for('update')
  return row
}

/** Locks the open alerts of a cause: those of one schedule, or of all. */
export const lockOpenAlerts = (
  scope: Scope,
  dedupKey: string,
  scheduleId?: string,
): Promise<OncallAlertRow[]> =>
  scope.tx
    .select()
    .from(oncallAlerts)
    .where(
      and(
        own(scope),
        eq(oncallAlerts.dedupKey, dedupKey),
        ne(oncallAlerts.status, 'resolved'),
        scheduleId === undefined ? undefined : eq(oncallAlerts.scheduleId, scheduleId),
      ),
    )
    .orderBy(oncallAlerts.scheduleId)
    .for('update')

/** Checks whether the schedule ever had an alert of this cause. */
export const hasAlertOfCause = async (
  scope: Scope,
  dedupKey: string,
  scheduleId: string,
): Promise<boolean> => {
  const rows = await scope.tx
    .select({ id: oncallAlerts.id })
    .from(oncallAlerts)
    .where(
      and(own(scope), eq(oncallAlerts.dedupKey, dedupKey), eq(oncallAlerts.scheduleId, scheduleId)),
    )
    .limit(1)
  return rows.length > 0
}

/** Returns false if the schedule already has an open alert of this cause. */
export const insertAlert = async ({ tx }: Scope, row: OncallAlertRow): Promise<boolean> => {
  const inserted = await tx
    .insert(oncallAlerts)
    .values(row)
    .onConflictDoNothing()
    .returning({ id: oncallAlerts.id })
  return inserted.length > 0
}

export const saveAlert = async (scope: Scope, row: OncallAlertRow): Promise<void> => {
  await scope.tx
    .update(oncallAlerts)
    .set(row)
    .where(and(own(scope), eq(oncallAlerts.id, row.id)))
}

/** Sets the page that later notifications of open alerts link to. */
export const setAlertUrl = async (
  scope: Scope,
  dedupKeys: readonly string[],
  url: string,
): Promise<void> => {
  await scope.tx
    .update(oncallAlerts)
    .set({ url })
    .where(
      and(
        own(scope),
        inArray(oncallAlerts.dedupKey, [...dedupKeys]),
        ne(oncallAlerts.status, 'resolved'),
      ),
    )
}

/** Locks the unacknowledged alerts of a schedule. */
export const lockUnacknowledgedAlerts = (
  scope: Scope,
  scheduleId: string,
): Promise<OncallAlertRow[]> =>
  scope.tx
    .select()
    .from(oncallAlerts)
    .where(
      and(
        own(scope),
        eq(oncallAlerts.scheduleId, scheduleId),
        eq(oncallAlerts.status, 'triggered'),
      ),
    )
    .orderBy(oncallAlerts.dedupKey)
    .for('update')

export interface DueAlert {
  organizationId: string
  id: string
}

/** Alerts of all organizations with a due step, longest overdue first. */
export const findDueAlerts = ({ tx, now }: SystemScope, limit: number): Promise<DueAlert[]> =>
  tx
    .select({ organizationId: oncallAlerts.organizationId, id: oncallAlerts.id })
    .from(oncallAlerts)
    .where(lte(oncallAlerts.dueAt, now))
    .orderBy(oncallAlerts.dueAt)
    .limit(limit)
