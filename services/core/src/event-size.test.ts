/** Every valid incident fits its event; content is reduced in the documented order. */
import {
  type EventPage,
  eventDataOnPage,
  type IncidentEventData,
  MAX_EVENT_BYTES,
  incidentOperations as on,
  packPositions,
  scopeIdsOf,
  systemActor,
} from '@status-page/contracts'
import { newId, type Scope, transact } from '@status-page/postgres'
import t from 'tap'
import { initialClaims } from './components/status.ts'
import { coreKit } from './core.fixture.ts'
import { fitIncidentEventSize } from './event-size.ts'
import { organizationOn } from './incidents/incidents.fixture.ts'
import { type ComponentRow, components as table } from './tables.ts'

const kit = await coreKit(t)

const COMPONENTS = 500
const DEPTH = 10
const WIDE = '😀'
const WORST_NAME = WIDE.repeat(100)
const WORST_MESSAGE = WIDE.repeat(25_000)

const bytesOf = (incident: IncidentEventData) => Buffer.byteLength(JSON.stringify({ incident }))
const many = <T>(count: number, one: (index: number) => T) =>
  Array.from({ length: count }, (_none, index) => one(index))

/** Compares as text: a deep comparison of 5,000 ids takes minutes. */
const concernsSame = (left: IncidentEventData, right: IncidentEventData) =>
  scopeIdsOf(left).toSorted().join() === scopeIdsOf(right).toSorted().join()

const eventDataOf = (more: {
  name: string
  message: string
  ancestorsOf: (index: number) => string[]
  count?: number
}): IncidentEventData => ({
  id: newId(),
  title: WIDE.repeat(255),
  status: 'investigating',
  impact: 'critical',
  message: more.message,
  components: many(more.count ?? COMPONENTS, (index) => ({
    id: newId(),
    name: more.name,
    status: 'degraded_performance',
    isMuted: false,
    ancestorIds: more.ancestorsOf(index),
  })),
  startedAt: '2026-08-01T09:30:00.000Z',
  resolvedAt: null,
  nextUpdateAt: null,
  url: null,
  statusPageIds: many(50, newId),
  notifySubscribers: true,
})

const chain = many(DEPTH - 1, newId)
const ownChains = () => many(DEPTH - 1, newId)

t.test('an ordinary event is published unchanged', async (t) => {
  const fact = eventDataOf({ name: 'API', message: 'm', ancestorsOf: () => chain, count: 50 })
  t.equal(fitIncidentEventSize(fact), fact)
})

t.test('long names and one deep tree are packed without loss', async (t) => {
  const fact = eventDataOf({
    name: 'n'.repeat(100),
    message: 'm'.repeat(25_000),
    ancestorsOf: () => chain,
  })
  t.ok(bytesOf(fact) > MAX_EVENT_BYTES)
  const emitted = fitIncidentEventSize(fact)
  t.ok(bytesOf(emitted) <= MAX_EVENT_BYTES)
  t.equal(emitted.message, fact.message)
  t.same(
    emitted.components.map(({ name }) => name),
    fact.components.map(({ name }) => name),
  )
  t.ok(concernsSame(emitted, fact))
})

t.test('names are truncated before the message, between characters', async (t) => {
  const fact = eventDataOf({
    name: WORST_NAME,
    message: 'm'.repeat(25_000),
    ancestorsOf: () => chain,
  })
  const emitted = fitIncidentEventSize(fact)
  t.ok(bytesOf(emitted) <= MAX_EVENT_BYTES)
  t.equal(emitted.message, fact.message)
  t.equal(emitted.components[0]?.name, `${WIDE.repeat(29)}…`)
})

t.test('the largest incident fits, with the same components', async (t) => {
  const fact = eventDataOf({ name: WORST_NAME, message: WORST_MESSAGE, ancestorsOf: ownChains })
  t.ok(bytesOf(fact) > 2 * MAX_EVENT_BYTES)
  const emitted = fitIncidentEventSize(fact)
  t.ok(bytesOf(emitted) <= MAX_EVENT_BYTES)
  t.equal(scopeIdsOf(emitted).length, COMPONENTS * DEPTH)
  t.ok(concernsSame(emitted, fact))
  t.ok(/^(?:😀)+…$/u.test(emitted.message), 'truncated between characters')
  t.ok(MAX_EVENT_BYTES - bytesOf(emitted) < 8, 'as much of the message as fits')
})

/** Page that shows all components, each under a display name of maximum size. */
const widePage = (): EventPage => ({
  id: newId(),
  url: `https://status.test/status/${'s'.repeat(63)}/incidents/${newId()}`,
  isPublic: true,
  shown: packPositions(many(COMPONENTS, (position) => position)),
  names: Object.fromEntries(many(COMPONENTS, (position) => [position, WORST_NAME])),
})

t.test(
  'display names of pages are truncated and dropped, never replaced by internal names',
  async (t) => {
    const worst = eventDataOf({ name: WORST_NAME, message: WORST_MESSAGE, ancestorsOf: ownChains })
    for (const count of [1, 50, 200]) {
      const fact = { ...worst, pages: many(count, widePage) }
      const emitted = fitIncidentEventSize(fact)
      t.ok(bytesOf(emitted) <= MAX_EVENT_BYTES, `${count} pages`)
      t.ok(concernsSame(emitted, fact))
      t.same(
        eventDataOnPage(emitted, fact.pages[0]?.id ?? '').components,
        [],
        'dropped, so that no page shows an internal name',
      )
    }
    const few = eventDataOf({ name: 'n', message: 'm', ancestorsOf: () => [] })
    const emitted = fitIncidentEventSize({ ...few, pages: many(3, widePage) })
    const [first] = eventDataOnPage(emitted, emitted.pages?.[2]?.id ?? '').components
    t.equal(first?.name, `${WIDE.repeat(14)}…`)
  },
)

const componentRow = (scope: Scope, parentComponentId: string | null): ComponentRow => {
  const { organizationId, now } = scope
  return {
    id: newId(),
    organizationId,
    version: 1,
    type: 'SERVICE',
    name: WORST_NAME,
    description: null,
    isEnabled: true,
    isMuted: false,
    parentComponentId,
    icon: null,
    showIconOnStatusPage: true,
    order: 0,
    managedByConfig: false,
    endpoint: null,
    claims: initialClaims('operational', 'manual', now),
    status: 'operational',
    statusSource: 'manual',
    statusChangedAt: now,
    monitorVersion: 0,
    averageResponseTime: null,
    lastCheckAt: null,
    createdAt: now,
    updatedAt: now,
  } as ComponentRow
}

/** Creates `count` chains of maximum depth and returns the ids of their deepest components. */
const deepTrees = async (organizationId: string, count: number): Promise<string[]> => {
  const by = { organizationId, actor: systemActor }
  let level: (string | null)[] = many(count, () => null)
  for (let depth = 0; depth < DEPTH; depth++) {
    level = await transact(kit.database, by, async (scope) => {
      const rows = level.map((parentId) => componentRow(scope, parentId))
      await scope.tx.insert(table).values(rows)
      return { result: rows.map(({ id }) => id) }
    })
  }
  return level as string[]
}

t.test('the largest valid body is accepted and published, however it is changed', async (t) => {
  const { request, organizationId, emitted } = organizationOn(kit)
  const ids = await deepTrees(organizationId, COMPONENTS)
  const componentStatuses = Object.fromEntries(ids.map((id) => [id, 'degraded_performance']))
  const title = WIDE.repeat(255)
  const opened = await request(on.create, {
    body: { title, message: WORST_MESSAGE, componentStatuses } as never,
  })
  t.equal(opened.status, 201)
  t.equal(opened.body.components.length, COMPONENTS)
  t.equal(opened.body.components[0].name, WORST_NAME, 'every reader gets the complete incident')
  t.equal(opened.body.message, WORST_MESSAGE)
  const params = { id: opened.body.id }
  const more = { status: 'resolved', message: WORST_MESSAGE, componentStatuses } as const
  t.equal((await request(on.addUpdate, { params, body: more as never })).status, 201)
  t.equal((await request(on.remove, { params })).status, 200)
  const { events, audit } = await emitted()
  t.same(
    events.map(({ kind }) => kind),
    ['incident.created', 'incident.resolved', 'incident.deleted'],
  )
  t.same(audit, ['incident.create', 'incident.update', 'incident.delete'])
  for (const { data } of events) {
    t.equal(scopeIdsOf(data.incident).length, COMPONENTS * DEPTH)
    t.ok(Buffer.byteLength(JSON.stringify(data)) <= MAX_EVENT_BYTES)
  }
})
