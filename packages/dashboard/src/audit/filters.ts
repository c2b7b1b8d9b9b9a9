/** Filters of the audit log, as they are in the address and in the request. */

export interface AuditFilters {
  action?: string
  entityType?: string
  user?: string
  /** First and last local day, as yyyy-mm-dd. */
  from?: string
  to?: string
  /** Default: 1. */
  page?: number
}

export const PAGE_SIZE = 50
const MAX_LENGTH = 64
const DAY = /^\d{4}-\d{2}-\d{2}$/
const ID = /^[0-9a-f-]{36}$/

/** Filters of an address; values that are not valid are absent. */
export const auditFiltersOf = (search: Record<string, unknown>): AuditFilters => {
  const text = (name: string) => (search[name] === undefined ? '' : String(search[name]))
  const day = (name: string) =>
    DAY.test(text(name)) && !Number.isNaN(Date.parse(text(name))) ? text(name) : undefined
  const page = Number(search.page)
  return {
    action: text('action').slice(0, MAX_LENGTH) || undefined,
    entityType: text('entityType').slice(0, MAX_LENGTH) || undefined,
    user: ID.test(text('user')) ? text('user') : undefined,
    from: day('from'),
    to: day('to'),
    page: Number.isInteger(page) && page > 1 ? page : undefined,
  }
}

/** Query of the request, without the page. */
export const toAuditQuery = ({ action, entityType, user, from, to }: AuditFilters) => ({
  ...(action !== undefined && { action }),
  ...(entityType !== undefined && { entityType }),
  ...(user !== undefined && { userId: user }),
  ...(from !== undefined && { from: startOfDay(from, 0) }),
  ...(to !== undefined && { to: startOfDay(to, 1) }),
})

/** Local midnight of the day, or of a later one. */
const startOfDay = (day: string, daysLater: number): string => {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + daysLater).toISOString()
}
