/** Filter of the list of components, as part of its address. */
import type { Schemas } from '@status-page/client'
import { componentStatuses, disruptedStatuses } from '../api/contract.ts'

type ComponentData = Schemas['Component']
type ComponentStatus = ComponentData['status']

export const statusFilters = ['all', 'disrupted', ...componentStatuses, 'disabled'] as const
export type StatusFilter = (typeof statusFilters)[number]

export interface ComponentSearch {
  search?: string
  status?: StatusFilter
}

const MAX_SEARCH_LENGTH = 100

/** Reads the filter from an address; unknown values are ignored. */
export const componentSearchOf = ({ search, status }: Record<string, unknown>): ComponentSearch => {
  const text = typeof search === 'string' || typeof search === 'number' ? String(search) : ''
  const known = statusFilters.find((one) => one === status && one !== 'all')
  return {
    ...(text === '' ? {} : { search: text.slice(0, MAX_SEARCH_LENGTH) }),
    ...(known === undefined ? {} : { status: known }),
  }
}

const disrupted: ReadonlySet<ComponentStatus> = new Set(disruptedStatuses)

const matchesStatus = (component: ComponentData, filter: StatusFilter): boolean => {
  if (filter === 'all') return true
  if (filter === 'disabled') return !component.isEnabled
  if (filter === 'disrupted') return component.isEnabled && disrupted.has(component.status)
  return component.status === filter
}

/** Test of a component; null if the filter permits all. */
export const filterOf = ({
  search = '',
  status = 'all',
}: ComponentSearch): ((component: ComponentData) => boolean) | null => {
  const text = search.trim().toLowerCase()
  if (text === '' && status === 'all') return null
  return (component) =>
    component.name.toLowerCase().includes(text) && matchesStatus(component, status)
}
