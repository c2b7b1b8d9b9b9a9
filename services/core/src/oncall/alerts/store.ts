/** Alerts in SQL. Alerts of one cause are locked in the order of their schedules. */
import {
  alertSeverities,
  alertStatuses,
  type oncallAlertOperations,
  type Query,
  sortOrderOf,
  windowOf,
} from '@status-page/contracts'
import type { Scope, SystemScope } from '@status-page/postgres'
import { and, asc, count, desc, eq, gte, inArray, lt, lte, ne, type SQL, sql } from 'drizzle-orm'
import { type OncallAlertRow, oncallAlerts } from '../../tables.ts'

const own = ({ organizationId }: Scope) => eq(oncallAlerts.organizationId, organizationId)

type ListQuery = Query<typeof oncallAlertOperations.list>

export const listAlerts = async (scope: Scope, query: ListQuery) => {
  const where = and(own(scope), ...filters(query))
  const { limit, offset } = windowOf(query)
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

/** As the indexes spell it. */
const positionIn = (values: readonly string[], column: SQL): SQL =>
  sql`array_position(${sql.raw(`'{${values.join(',')}}'::text[]`)}, ${column})`

const sortKeys: Record<ListQuery['sortBy'], SQL> = {
  triggeredAt: sql`${oncallAlerts.triggeredAt}`,
  severity: positionIn(alertSeverities, sql`${oncallAlerts.severity}`),
  status: positionIn(alertStatuses, sql`${oncallAlerts.status}`),
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

/** The open alerts of a cause, of one schedule or of all. */
export const lockOpen = (
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

/** Whether the schedule ever had an alert of this cause. */
export const wasRaised = async (
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

/** False if the schedule has an open alert of this cause already. */
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

/** Open alerts of the causes get a page to look at, for the messages that follow. */
export const linkAlerts = async (
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

/** Those of the schedule that nobody has acknowledged. */
export const lockTriggered = (scope: Scope, scheduleId: string): Promise<OncallAlertRow[]> =>
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

/** Of all organizations, longest due first. */
export const dueAlerts = ({ tx, now }: SystemScope, limit: number): Promise<DueAlert[]> =>
  tx
    .select({ organizationId: oncallAlerts.organizationId, id: oncallAlerts.id })
    .from(oncallAlerts)
    .where(lte(oncallAlerts.dueAt, now))
    .orderBy(oncallAlerts.dueAt)
    .limit(limit)
