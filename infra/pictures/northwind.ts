/**
 * Northwind, the example organization of the pictures: its components, incidents and maintenances.
 */
import type { OwnerApi } from './api.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
export const ORGANIZATION_SLUG = 'northwind'

const groups: Record<string, Record<string, string | null>> = {
  Shop: {
    Website: null,
    Search: null,
    Checkout: 'Cards, wallets and invoices',
  },
  Orders: {
    'Order tracking': null,
    Warehouse: null,
    'E-mail receipts': null,
  },
  Developers: {
    'Partner API': 'api.northwind.example',
    Webhooks: null,
  },
}

export interface ExampleOutage {
  component: string
  status: 'degraded_performance' | 'partial_outage' | 'major_outage' | 'under_maintenance'
  /** Milliseconds before now. */
  startedMs: number
  lastedMs: number
}

const outage = (
  component: string,
  status: ExampleOutage['status'],
  daysAgo: number,
  minutes: number,
): ExampleOutage => ({
  component,
  status,
  startedMs: daysAgo * DAY_MS + 5 * HOUR_MS,
  lastedMs: minutes * MINUTE_MS,
})

/** Outages in the uptime bars of ninety days. */
export const outages: readonly ExampleOutage[] = [
  outage('Search', 'degraded_performance', 4, 95),
  outage('E-mail receipts', 'partial_outage', 9, 48),
  outage('Warehouse', 'under_maintenance', 17, 120),
  outage('Checkout', 'partial_outage', 23, 22),
  outage('Partner API', 'major_outage', 31, 14),
  outage('Webhooks', 'degraded_performance', 31, 40),
  outage('Website', 'degraded_performance', 38, 30),
  outage('Order tracking', 'partial_outage', 46, 75),
  outage('Checkout', 'degraded_performance', 52, 65),
  outage('Partner API', 'partial_outage', 60, 33),
  outage('Search', 'major_outage', 67, 9),
  outage('Warehouse', 'under_maintenance', 74, 180),
  outage('E-mail receipts', 'degraded_performance', 81, 210),
]

export interface ExampleUpdate {
  status: 'investigating' | 'identified' | 'monitoring' | 'resolved'
  message: string
  /** Milliseconds before now. */
  agoMs: number
}

interface Story {
  title: string
  impact: 'minor' | 'major'
  components: Record<string, 'degraded_performance' | 'partial_outage'>
  updates: readonly ExampleUpdate[]
}

const storyUpdate = (
  status: ExampleUpdate['status'],
  agoMs: number,
  message: string,
): ExampleUpdate => ({
  status,
  agoMs,
  message,
})

const past: readonly Story[] = [
  {
    title: 'Search answers slowly',
    impact: 'minor',
    components: { Search: 'degraded_performance' },
    updates: [
      storyUpdate(
        'investigating',
        4 * DAY_MS + 5 * HOUR_MS,
        'Searches take several seconds. We are looking for the reason.',
      ),
      storyUpdate(
        'resolved',
        4 * DAY_MS + 5 * HOUR_MS - 95 * MINUTE_MS,
        'A rebuilt index had left its cache cold. It is warm, and searches are as fast as before.',
      ),
    ],
  },
  {
    title: 'Receipts arrive late',
    impact: 'minor',
    components: { 'E-mail receipts': 'partial_outage' },
    updates: [
      storyUpdate(
        'investigating',
        9 * DAY_MS + 5 * HOUR_MS,
        'Some receipts are not sent. No order is lost.',
      ),
      storyUpdate(
        'resolved',
        9 * DAY_MS + 5 * HOUR_MS - 48 * MINUTE_MS,
        'Our mail provider is back. All receipts of the last hour have been sent.',
      ),
    ],
  },
]

const present: Story = {
  title: 'Card payments fail for some customers',
  impact: 'major',
  components: { Checkout: 'partial_outage', 'Partner API': 'degraded_performance' },
  updates: [
    storyUpdate(
      'investigating',
      52 * MINUTE_MS,
      'About a third of all card payments are refused. Wallets and invoices work. We are looking into it.',
    ),
    storyUpdate(
      'identified',
      34 * MINUTE_MS,
      'One of our two payment providers drops connections from Europe. We are moving its traffic to the other one.',
    ),
    storyUpdate(
      'monitoring',
      11 * MINUTE_MS,
      'All card payments now go through our second provider. Refusals are back to normal; we keep watching before we call this over.',
    ),
  ],
}

export type ComponentIds = Record<string, string>

/** Creates the components; returns their ids by name. */
export const createComponents = async (api: OwnerApi): Promise<ComponentIds> => {
  const ids: ComponentIds = {}
  const shown: object[] = []
  for (const [groupName, members] of Object.entries(groups)) {
    for (const [name, description] of Object.entries(members)) {
      const body = { type: 'SERVICE', name, description }
      const { id } = await api.post<{ id: string }>('/components', body)
      ids[name] = id
      shown.push({ componentId: id, groupName, order: shown.length })
    }
  }
  await api.post('/status-pages', {
    name: 'Northwind',
    slug: ORGANIZATION_SLUG,
    isPublished: true,
    components: shown,
    description: 'The shop, its orders and its interfaces, as our customers meet them.',
    theme: { primaryColor: '#1f4fd8' },
    homepageUrl: 'https://northwind.example',
  })
  return ids
}

export interface CreatedIncident {
  id: string
  updates: readonly ExampleUpdate[]
}

export const createPastIncidents = async (
  api: OwnerApi,
  ids: ComponentIds,
): Promise<CreatedIncident[]> => {
  const created: CreatedIncident[] = []
  for (const story of past)
    created.push(await createIncident(api, ids, story, { notifySubscribers: false }))
  return created
}

export const createOpenIncident = (api: OwnerApi, ids: ComponentIds): Promise<CreatedIncident> =>
  createIncident(api, ids, present, {})

const createIncident = async (
  api: OwnerApi,
  ids: ComponentIds,
  story: Story,
  more: object,
): Promise<CreatedIncident> => {
  const { title, impact, components } = story
  const [first, ...later] = story.updates
  const { id } = await api.post<{ id: string }>('/incidents', {
    title,
    impact,
    message: first?.message,
    ...more,
    startedAt: new Date(Date.now() - (first?.agoMs ?? 0)).toISOString(),
    componentStatuses: Object.fromEntries(
      Object.entries(components).map(([name, status]) => [ids[name], status]),
    ),
  })
  for (const { status, message } of later) {
    const isOpen = status !== 'resolved'
    const nextUpdateAt = new Date(Date.now() + HOUR_MS / 2).toISOString()
    const promise = isOpen ? { nextUpdateAt } : {}
    await api.post(`/incidents/${id}/updates`, { status, message, ...promise, ...more })
  }
  return { id, updates: story.updates }
}

export const createMaintenances = async (api: OwnerApi, ids: ComponentIds): Promise<void> => {
  const day = Math.ceil(Date.now() / DAY_MS) * DAY_MS + 2 * DAY_MS
  await api.post('/maintenances', {
    title: 'New shelves for the warehouse database',
    message: 'Stock levels may be up to ten minutes old while it moves. Orders are taken as usual.',
    scheduledFor: new Date(day + 2 * HOUR_MS).toISOString(),
    scheduledUntil: new Date(day + 4 * HOUR_MS).toISOString(),
    componentIds: [ids.Warehouse, ids['Order tracking']],
  })
}
