/** Filters of the list of alerts, as they are in the address and in the request. */

export const alertStates = ['unacknowledged', 'open', 'resolved'] as const
export type AlertState = (typeof alertStates)[number]

export interface AlertFilters {
  /** Default: unacknowledged. */
  state?: AlertState
  schedule?: string
  /** Default: 1. */
  page?: number
}

export const ALERT_PAGE_SIZE = 20
const ID = /^[0-9a-f-]{36}$/

/** Filters of an address; values that are not valid are absent. */
export const readAlertFilters = (search: Record<string, unknown>): AlertFilters => {
  const page = Number(search.page)
  const schedule = String(search.schedule)
  return {
    state: alertStates.find((state) => state === search.state && state !== 'unacknowledged'),
    schedule: ID.test(schedule) ? schedule : undefined,
    page: Number.isInteger(page) && page > 1 ? page : undefined,
  }
}

const conditions = {
  unacknowledged: { status: 'triggered' },
  open: { resolved: false },
  resolved: { resolved: true },
} as const

/** Query of the request. */
export const toAlertQuery = ({ state = 'unacknowledged', schedule, page = 1 }: AlertFilters) => ({
  page,
  pageSize: ALERT_PAGE_SIZE,
  ...conditions[state],
  ...(schedule !== undefined && { scheduleId: schedule }),
})
