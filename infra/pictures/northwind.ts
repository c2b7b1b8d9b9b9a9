/** Northwind, a shop that only the pictures know: what it runs, what went wrong, what is planned. */
import type { Api } from './api.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
export const SLUG = 'northwind'

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

export interface Outage {
  component: string
  status: 'degraded_performance' | 'partial_outage' | 'major_outage' | 'under_maintenance'
  /** Before now. */
  startedMs: number
  lastedMs: number
}

const outage = (
  component: string,
  status: Outage['status'],
  daysAgo: number,
  minutes: number,
): Outage => ({
  ...{ component, status },
  startedMs: daysAgo * DAY_MS + 5 * HOUR_MS,
  lastedMs: minutes * MINUTE_MS,
})

/** What the bars of ninety days show. */
export const outages: readonly Outage[] = [
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

export interface Told {
  status: 'investigating' | 'identified' | 'monitoring' | 'resolved'
  message: string
  /** Before now. */
  agoMs: number
}

interface Story {
  title: string
  impact: 'minor' | 'major'
  components: Record<string, 'degraded_performance' | 'partial_outage'>
  told: readonly Told[]
}

const told = (status: Told['status'], agoMs: number, message: string): Told => ({
  ...{ status, agoMs, message },
})

const past: readonly Story[] = [
  {
    title: 'Search answers slowly',
    impact: 'minor',
    components: { Search: 'degraded_performance' },
    told: [
      told(
        'investigating',
        4 * DAY_MS + 5 * HOUR_MS,
        'Searches take several seconds. We are looking for the reason.',
      ),
      told(
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
    told: [
      told(
        'investigating',
        9 * DAY_MS + 5 * HOUR_MS,
        'Some receipts are not sent. No order is lost.',
      ),
      told(
        'resolved',
        9 * DAY_MS + 5 * HOUR_MS - 48 * MINUTE_MS,
        'Our mail provider is back. All receipts of the last hour have been sent.',
      ),
    ],
  },
]

const now: Story = {
  title: 'Card payments fail for some customers',
  impact: 'major',
  components: { Checkout: 'partial_outage', 'Partner API': 'degraded_performance' },
  told: [
    told(
      'investigating',
      52 * MINUTE_MS,
      'About a third of all card payments are refused. Wallets and invoices work. We are looking into it.',
    ),
    told(
      'identified',
      34 * MINUTE_MS,
      'One of our two payment providers drops connections from Europe. We are moving its traffic to the other one.',
    ),
    told(
      'monitoring',
      11 * MINUTE_MS,
      'All card payments now go through our second provider. Refusals are back to normal; we keep watching before we call this over.',
    ),
  ],
}

export type Ids = Record<string, string>

/** By name. */
export const makeComponents = async (api: Api): Promise<Ids> => {
  const ids: Ids = {}
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
    ...{ name: 'Northwind', slug: SLUG, isPublished: true, components: shown },
    description: 'The shop, its orders and its interfaces, as our customers meet them.',
    theme: { primaryColor: '#1f4fd8' },
    homepageUrl: 'https://northwind.example',
  })
  return ids
}

export interface Made {
  id: string
  told: readonly Told[]
}

export const tellPast = async (api: Api, ids: Ids): Promise<Made[]> => {
  const made: Made[] = []
  for (const story of past) made.push(await tell(api, ids, story, { notifySubscribers: false }))
  return made
}

export const tellOutage = (api: Api, ids: Ids): Promise<Made> => tell(api, ids, now, {})

const tell = async (api: Api, ids: Ids, story: Story, more: object): Promise<Made> => {
  const { title, impact, components } = story
  const [first, ...later] = story.told
  const { id } = await api.post<{ id: string }>('/incidents', {
    ...{ title, impact, message: first?.message, ...more },
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
  return { id, told: story.told }
}

export const plan = async (api: Api, ids: Ids): Promise<void> => {
  const day = Math.ceil(Date.now() / DAY_MS) * DAY_MS + 2 * DAY_MS
  await api.post('/maintenances', {
    title: 'New shelves for the warehouse database',
    message: 'Stock levels may be up to ten minutes old while it moves. Orders are taken as usual.',
    scheduledFor: new Date(day + 2 * HOUR_MS).toISOString(),
    scheduledUntil: new Date(day + 4 * HOUR_MS).toISOString(),
    componentIds: [ids.Warehouse, ids['Order tracking']],
  })
}
