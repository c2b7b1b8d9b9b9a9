/**
 * JSON documents of status pages: version 2 of the Statuspage API, which several products serve,
 * and the public JSON of this product. Null for another shape.
 */
import { type ComponentStatus, componentStatuses, type Indicator } from '@status-page/contracts'
import { asObject, objectsIn, timeOf } from '../untrusted-values.ts'
import {
  MAX_VENDOR_COMPONENTS,
  messageOf,
  plainText,
  type VendorComponent,
  type VendorDocument,
  type VendorState,
  vendorNameOf,
  webUrlOf,
} from './document.ts'

/** Incident or maintenance that is going on. */
interface OpenEntry {
  message: string | null
  url: string | null
  /** ISO 8601; empty for none. */
  updatedAt: string
  componentIds: ReadonlySet<unknown>
}

interface PageValues {
  title: unknown
  url: unknown
  indicator: unknown
  description: unknown
  components: readonly Record<string, unknown>[]
  open: readonly OpenEntry[]
}

const MAX_COMPONENT_ID = 200
const MAX_COMPONENT_NAME = 200
/** Maximum open incidents and maintenances that are considered. */
const MAX_OPEN_ENTRIES = 100

const indicators: Record<Indicator, ComponentStatus> = {
  none: 'operational',
  minor: 'degraded_performance',
  major: 'partial_outage',
  critical: 'major_outage',
  maintenance: 'under_maintenance',
}

// Maps, because an object also has the properties of its prototype, such as `constructor`.
const statusByIndicator: ReadonlyMap<unknown, ComponentStatus> = new Map(Object.entries(indicators))
const statusByName: ReadonlyMap<unknown, ComponentStatus> = new Map<unknown, ComponentStatus>([
  ...componentStatuses.map((status) => [status, status] as const),
  ['full_outage', 'major_outage'],
])

const ongoing: ReadonlySet<unknown> = new Set(['in_progress', 'verifying'])

export const parseJsonDocument = (json: unknown): VendorDocument | null => {
  const root = asObject(json)
  const { page, status, components } = root
  const isPage = Array.isArray(components) && 'indicator' in asObject(status) && page !== undefined
  if (!isPage || components.length > MAX_VENDOR_COMPONENTS) return null
  const { name: title, url } = asObject(page)
  const { indicator, description } = asObject(status)
  const open = Array.isArray(root.activeIncidents) ? ownEntries(root) : statuspageEntries(root)
  const values = { title, url, indicator, description, components: objectsIn(components), open }
  return documentOf(values)
}

const statuspageEntries = (root: Record<string, unknown>): OpenEntry[] => [
  ...entriesOf(root.incidents, { title: 'name', url: 'shortlink', updatedAt: 'updated_at' }),
  ...entriesOf(
    objectsIn(root.scheduled_maintenances).filter(({ status }) => ongoing.has(status)),
    { title: 'name', url: 'shortlink', updatedAt: 'updated_at' },
  ),
]

const ownEntries = (root: Record<string, unknown>): OpenEntry[] => {
  const names = { title: 'title', url: 'url', updatedAt: 'updatedAt' }
  const { active } = asObject(root.maintenances)
  return [...entriesOf(root.activeIncidents, names), ...entriesOf(active, names)]
}

const entriesOf = (
  values: unknown,
  names: Readonly<Record<'title' | 'url' | 'updatedAt', string>>,
): OpenEntry[] =>
  objectsIn(values)
    .slice(0, MAX_OPEN_ENTRIES)
    .map((one) => ({
      message: messageOf(one[names.title]),
      url: webUrlOf(one[names.url]),
      updatedAt: timeOf(one[names.updatedAt]) ?? '',
      componentIds: new Set(objectsIn(one.components).map(({ id }) => id)),
    }))

const documentOf = (values: PageValues): VendorDocument | null => {
  const vendor = vendorNameOf(values.title)
  const status = statusByIndicator.get(values.indicator) ?? null
  if (vendor === null || status === null) return null
  return {
    vendor,
    url: webUrlOf(values.url),
    page: stateOf(status, values.open, status === 'operational' ? null : values.description),
    components: values.components.flatMap((one) => componentOf(one, values.open)),
    entries: [],
  }
}

const componentOf = (
  { id, name, status, updated_at: updatedAt }: Record<string, unknown>,
  open: readonly OpenEntry[],
): VendorComponent[] => {
  const [knownId, knownName] = [
    plainText(id, MAX_COMPONENT_ID),
    plainText(name, MAX_COMPONENT_NAME),
  ]
  if (knownId === null || knownName === null) return []
  const own = open.filter(({ componentIds }) => componentIds.has(id))
  const state = stateOf(statusByName.get(status) ?? null, own, null)
  const reportedAt = state.reportedAt ?? timeOf(updatedAt)
  return [{ id: knownId, name: knownName, ...state, reportedAt }]
}

/** Status with the text of the entry that was updated last. */
const stateOf = (
  status: ComponentStatus | null,
  open: readonly OpenEntry[],
  description: unknown,
): VendorState => {
  const [newest] = open.toSorted((left, right) => (left.updatedAt < right.updatedAt ? 1 : -1))
  return {
    status,
    message: newest?.message ?? messageOf(description),
    url: newest?.url ?? null,
    reportedAt: newest?.updatedAt || null,
  }
}
