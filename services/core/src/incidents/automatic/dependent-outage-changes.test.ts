/** Outages of components with dependencies over a real database: one incident, and its events. */
import {
  componentOperations,
  type DerivedStatus,
  draftEvent,
  monitorDegraded,
  monitorDown,
  monitorRecovered,
  incidentOperations as on,
} from '@status-page/contracts'
import t from 'tap'
import { coreKit } from '../../core.fixture.ts'
import { organizationOn } from '../incidents.fixture.ts'

const kit = await coreKit(t)

const kinds = {
  major_outage: monitorDown,
  degraded_performance: monitorDegraded,
  operational: monitorRecovered,
}
const { signal } = new AbortController()
/** Longer than any decision is held. */
const HOLD_MS = 11 * 60_000

/** Organization with checked components; their monitor events have increasing versions. */
const stage = () => {
  const own = organizationOn(kit)
  const versions = new Map<string, number>()
  const add = (name: string, dependsOn: string[] = [], more: object = {}) =>
    own.component(name, {
      type: 'ENDPOINT',
      url: 'https://93.184.215.14/',
      autoCreateIncident: true,
      dependsOn,
      ...more,
    })
  const report = async (status: DerivedStatus, ids: readonly string[], agoMs = 0) => {
    const since = new Date(Date.now() + kit.clock.offsetMs() - agoMs).toISOString()
    const events = ids.map((componentId) => {
      const version = (versions.get(componentId) ?? 0) + 1
      versions.set(componentId, version)
      const monitor = { componentId, name: 'x', derivedStatus: status, since, reason: null }
      return draftEvent(
        kinds[status] as typeof monitorDown,
        { id: componentId, version },
        { monitor },
      )
    })
    await kit.publishAndHandle('monitor', own.organizationId, ...events)
  }
  const fail = (...ids: string[]) => report('major_outage', ids)
  const recover = (...ids: string[]) => report('operational', ids)
  const decide = async (afterMs = 0) => {
    kit.clock.advance(afterMs)
    await kit.jobs.find(({ name }) => name === 'dependent-outages')?.run(signal)
  }
  const incidents = async () =>
    (await own.request(on.list, { query: { sortOrder: 'asc' } as never })).body.data
  /** Events of incidents and outages since the last call. */
  const published = async () =>
    (await kit.outbox(own.organizationId)).events
      .filter(({ kind }) => /^(incident|outage)\./.test(kind))
      .map(({ kind }) => kind)
  return { ...own, add, report, fail, recover, decide, incidents, published }
}

t.test(
  'a host with 30 dependents: one incident, and another for the two that stay down',
  async (t) => {
    const { add, fail, report, recover, decide, incidents, published, status } = stage()
    const host = await add('Host')
    const ids: string[] = []
    for (let index = 0; index < 30; index++) ids.push(await add(`API ${index}`, [host]))
    await published()
    kit.clock.advance(120_000)
    await fail(...ids.slice(0, 10))
    await decide()
    t.same(await incidents(), [], 'an outage is held')
    t.equal(await status(ids[0] ?? ''), 'major_outage monitor')
    await fail(host)
    await report('major_outage', ids.slice(10), 60_000)
    await decide()
    const [opened, ...others] = await incidents()
    t.same(others, [])
    t.match(opened, { title: 'Host is down', components: [{ id: host }] })
    t.same(new Set(opened.components.map(({ id }: { id: string }) => id)), new Set([host, ...ids]))
    await decide(HOLD_MS)
    t.same(await published(), ['incident.created', 'incident.updated'])

    await recover(host, ...ids.slice(2))
    t.match(await incidents(), [{ status: 'resolved', autoResolved: true }])
    await decide()
    t.same(await published(), ['incident.resolved', ...ids.slice(2).map(() => 'outage.ended')])
    t.equal((await incidents()).length, 1, 'the rest has the time to recover')
    await decide(HOLD_MS)
    const [first, second, ...more] = await incidents()
    t.same(more, [])
    t.match(second, {
      title: 'API 0 and API 1 are down',
      status: 'investigating',
      message: /^Automatic checks have failed since/,
      components: { length: 2 },
      isAutoCreated: true,
    })
    t.ok(second.startedAt < first.resolvedAt, 'dated back to the first failed check')
    t.same(await published(), ['incident.created', 'outage.confirmed', 'outage.confirmed'])
    await recover(...ids.slice(0, 2))
    t.match(await incidents(), [{}, { status: 'resolved' }])
  },
)

t.test('an outage without a cause opens its own incident, dated back', async (t) => {
  const { add, fail, decide, incidents, published, recover } = stage()
  const host = await add('Host')
  const api = await add('API', [host])
  await published()
  await fail(api)
  await decide()
  t.same(await incidents(), [])
  await decide(HOLD_MS)
  t.match(await incidents(), [{ title: 'API is down', components: [{ id: api }] }])
  t.same(await published(), ['incident.created', 'outage.confirmed'])
  await decide()
  await recover(api)
  t.match(await incidents(), [{ status: 'resolved', autoResolved: true }])
  t.same(await published(), ['incident.resolved', 'outage.ended'])
  await fail(host)
  t.match(await incidents(), [{}, { title: 'Host is down', components: { length: 1 } }])
})

t.test('an outage that ends while it is held is confirmed without an incident', async (t) => {
  const { add, fail, recover, decide, incidents, published } = stage()
  const api = await add('API', [await add('Host')])
  await published()
  await fail(api)
  await recover(api)
  await decide(HOLD_MS)
  t.same(await incidents(), [])
  t.same(await published(), ['outage.confirmed', 'outage.ended'])
})

t.test('dependents of a component without an incident share one', async (t) => {
  const { add, fail, decide, incidents } = stage()
  const host = await add('Host', [], { type: 'SERVICE', url: undefined, status: 'major_outage' })
  const ids = [await add('A', [host]), await add('B', [host]), await add('C', [host])]
  await fail(...ids)
  await decide()
  t.match(await incidents(), [{ title: 'A and 2 more are down', components: { length: 3 } }])
  t.equal((await incidents()).length, 1)
})

t.test('a degradation is confirmed once no dependency explains it', async (t) => {
  const { add, report, recover, decide, incidents, published, status } = stage()
  const host = await add('Host')
  const ids = [await add('A', [host]), await add('B', [host])]
  await published()
  await report('degraded_performance', ids)
  await decide()
  t.same(await published(), [], 'it is held')
  await report('degraded_performance', [host])
  await decide(HOLD_MS)
  t.same(await published(), [], 'the host explains it')
  t.equal(await status(ids[0] ?? ''), 'degraded_performance monitor')
  await recover(host, ids[0] ?? '')
  await decide()
  await decide(HOLD_MS)
  t.same(await incidents(), [])
  t.same(await published(), ['outage.ended', 'outage.confirmed'])
  await recover(ids[1] ?? '')
  t.same(await published(), ['outage.ended'])
})

t.test('a dependent that is degraded after its outage is confirmed again', async (t) => {
  const { add, fail, report, decide, published } = stage()
  const api = await add('API', [await add('Host')])
  await published()
  await fail(api)
  await decide(HOLD_MS)
  t.same(await published(), ['incident.created', 'outage.confirmed'])
  await report('degraded_performance', [api])
  await decide(HOLD_MS)
  t.same(await published(), ['outage.confirmed'])
})

t.test(
  'dependents are listed in the incident that a user opened for their dependency',
  async (t) => {
    const { add, fail, decide, incidents, open, published, organizationId } = stage()
    const host = await add('Host', [], { type: 'SERVICE', url: undefined })
    const api = await add('API', [host], { autoCreateIncident: false })
    await open({ title: 'Power cut', componentStatuses: { [host]: 'major_outage' } })
    await published()
    await fail(api)
    await decide()
    t.match(await incidents(), [{ title: 'Power cut', components: [{ id: host }, { id: api }] }])
    const { events } = await kit.outbox(organizationId)
    t.match(events.at(-1), { kind: 'incident.updated', data: { incident: { isCatchUp: true } } })
  },
)

t.test('a removed dependency explains an outage no longer', async (t) => {
  const { add, fail, decide, incidents, request } = stage()
  const host = await add('Host')
  const [api, web] = [await add('API', [host]), await add('Web', [host])]
  await fail(host, api, web)
  await decide()
  t.match(await incidents(), [{ components: { length: 3 } }])
  await request(componentOperations.update, { params: { id: api }, body: { dependsOn: [] } })
  await decide()
  t.match(await incidents(), [{ title: 'Host is down' }, { title: 'API is down' }])
  await request(componentOperations.remove, { params: { id: host } })
  await decide(HOLD_MS)
  t.match(await incidents(), [{}, {}, { title: 'Web is down' }])
})

t.test('two replicas decide an outage once', async (t) => {
  const { add, fail, incidents } = stage()
  const api = await add('API', [await add('Host')])
  await fail(api)
  kit.clock.advance(HOLD_MS)
  const replica = await kit.replica()
  const run = (jobs: typeof kit.jobs) =>
    jobs.find(({ name }) => name === 'dependent-outages')?.run(signal)
  await Promise.all([run(kit.jobs), run(replica.jobs)])
  t.equal((await incidents()).length, 1)
})
