/** SQL of alerts. Open alerts of one cause are locked by schedule id. */
import {
  alertSeverities,
  alertStatuses,
  type oncallAlertOperations,
  type Query,
} from '@status-page/contracts'
import {
  equalsFilter,
  positionIn,
  resourceTable,
  type Scope,
  type SystemScope,
} from '@status-page/postgres'
import { eq, gte, inArray, lt, lte, ne, type SQL, sql } from 'drizzle-orm'
import { type OncallAlertRow, oncallAlerts } from '../../tables.ts'

const table = resourceTable(oncallAlerts)

export const { find: findAlert, lock: lockAlert, save: saveAlert } = table

type ListQuery = Query<typeof oncallAlertOperations.list>

export const listAlerts = (scope: Scope, query: ListQuery) =>
  table.listBy(scope, query, sortKeys[query.sortBy], filters(query))

const filters = (query: ListQuery): (SQL | undefined)[] => {
  const { status, resolved, severity, scheduleId, componentId, from, to } = query
  return [
    equalsFilter(oncallAlerts.status, status),
    resolved === undefined ? undefined : isResolved(resolved),
    equalsFilter(oncallAlerts.severity, severity),
    equalsFilter(oncallAlerts.scheduleId, scheduleId),
    equalsFilter(oncallAlerts.componentId, componentId),
    from === undefined ? undefined : gte(oncallAlerts.triggeredAt, new Date(from)),
    to === undefined ? undefined : lt(oncallAlerts.triggeredAt, new Date(to)),
  ]
}

const isResolved = (resolved: boolean): SQL =>
  resolved ? eq(oncallAlerts.status, 'resolved') : ne(oncallAlerts.status, 'resolved')

const sortKeys: Record<ListQuery['sortBy'], SQL> = {
  triggeredAt: sql`${oncallAlerts.triggeredAt}`,
  severity: positionIn(alertSeverities, oncallAlerts.severity),
  status: positionIn(alertStatuses, oncallAlerts.status),
}

/** Locks the open alerts of a cause: those of one schedule, or of all. */
export const lockOpenAlerts = (
  scope: Scope,
  dedupKey: string,
  scheduleId?: string,
): Promise<OncallAlertRow[]> =>
  table
    .select(
      scope,
      eq(oncallAlerts.dedupKey, dedupKey),
      ne(oncallAlerts.status, 'resolved'),
      equalsFilter(oncallAlerts.scheduleId, scheduleId),
    )
    .orderBy(oncallAlerts.scheduleId)
    .for('update')

/** Checks whether the schedule ever had an alert of this cause. */
export const hasAlertOfCause = async (
  scope: Scope,
  dedupKey: string,
  scheduleId: string,
): Promise<boolean> => {
  const isOfCause = eq(oncallAlerts.dedupKey, dedupKey)
  const isOfSchedule = eq(oncallAlerts.scheduleId, scheduleId)
  const rows = await table.select(scope, isOfCause, isOfSchedule).limit(1)
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

/** Sets the page that later notifications of open alerts link to. */
export const setAlertUrl = (
  scope: Scope,
  dedupKeys: readonly string[],
  url: string,
): Promise<void> => {
  const isOfCause = inArray(oncallAlerts.dedupKey, [...dedupKeys])
  return table.update(scope, { url }, isOfCause, ne(oncallAlerts.status, 'resolved'))
}

/** Locks the unacknowledged alerts of a schedule. */
export const lockUnacknowledgedAlerts = (
  scope: Scope,
  scheduleId: string,
): Promise<OncallAlertRow[]> =>
  table
    .select(scope, eq(oncallAlerts.scheduleId, scheduleId), eq(oncallAlerts.status, 'triggered'))
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
