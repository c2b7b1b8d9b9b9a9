/** Filters of the list of service levels, as they are in the address and in the request. */
import type { SlaStatus } from '@status-page/contracts'

const statuses = ['breached', 'at_risk', 'healthy', 'no_data', 'paused'] as const

/** Statuses of the filter, the most urgent first. */
export const serviceLevelStatuses: readonly SlaStatus[] = statuses

export interface ServiceLevelFilters {
  /** Default: all. */
  status?: SlaStatus
  /** Default: 1. */
  page?: number
}

export const PAGE_SIZE = 20

/** Filters of an address; values that are not valid are absent. */
export const readFilters = (search: Record<string, unknown>): ServiceLevelFilters => {
  const page = Number(search.page)
  return {
    status: statuses.find((status) => status === search.status),
    page: Number.isInteger(page) && page > 1 ? page : undefined,
  }
}

export const toServiceLevelQuery = ({ status, page = 1 }: ServiceLevelFilters) => ({
  page,
  pageSize: PAGE_SIZE,
  sortBy: 'name' as const,
  ...(status !== undefined && { status }),
})
