/** Effects of monitor events on components and incidents, over a real database. */
import {
  componentOperations,
  type DerivedStatus,
  draftEvent,
  MAX_UPDATES_WITH_AUTOMATIC,
  monitorDegraded,
  monitorDown,
  monitorRecovered,
  incidentOperations as on,
} from '@status-page/contracts'
import { connect, newId } from '@status-page/postgres'
import t from 'tap'
import { coreKit } from '../../core.fixture.ts'
import { organizationOn } from '../incidents.fixture.ts'

const kit = await coreKit(t)

const CHECK_URL = 'https://93.184.215.14/'

/** Creates a component with checks; its monitor events have increasing versions. */
const monitored = async (more: object = {}) => {
  const organization = organizationOn(kit)
  const versions = new Map<string, number>()
  const checked = (name: string, extra: object = {}) =>
    organization.component(name, {
      type: 'ENDPOINT',
      url: CHECK_URL,
      autoCreateIncident: true,
      ...more,
      ...extra,
    })
  const kinds = {
    major_outage: monitorDown,
    degraded_performance: monitorDegraded,
    operational: monitorRecovered,
  }
  const says = (
    componentId: string,
    derivedStatus: DerivedStatus,
    { version = (versions.get(componentId) ?? 0) + 1, agoMs = 0 } = {},
  ) => {
    versions.set(componentId, version)
    const since = new Date(Date.now() + kit.clock.offsetMs() - agoMs).toISOString()
    const monitor = { componentId, name: 'x', derivedStatus, since, reason: null }
    const event = draftEvent(
      kinds[derivedStatus] as typeof monitorDown,
      { id: componentId, version },
      { monitor },
    )
    return kit.publishAndHandle('monitor', organization.organizationId, event)
  }
  const incidents = async () =>
    (
      await organization.request(on.list, {
        query: { include: 'updates', sortOrder: 'asc' } as never,
      })
    ).body.data
  return { ...organization, checked, says, incidents }
}

t.test('failing checks open an incident, recovering checks resolve it', async (t) => {
  const { checked, says, incidents, status, emitted } = await monitored()
  const id = await checked('API')
  await emitted()
  kit.clock.advance(120_000)
  await says(id, 'major_outage', { agoMs: 60_000 })
  t.equal(await status(id), 'major_outage incident')
  const [opened] = await incidents()
  t.match(opened, {
    title: 'API is down',
    impact: 'critical',
    source: 'monitor',
    isAutoCreated: true,
    triggerComponentId: id,
    status: 'investigating',
  })
  t.ok(opened.startedAt < opened.createdAt)
  const first = await emitted()
  t.match(first.events, [{ kind: 'incident.created' }])
  t.same(first.audit, ['incident.create'])
  await says(id, 'operational')
  t.equal(await status(id), 'operational manual')
  t.match(await incidents(), [{ status: 'resolved', autoResolved: true }])
  t.match((await emitted()).events, [{ kind: 'incident.resolved', version: 2 }])
})

for (const autoCreateIncident of [false, true]) {
  const emitted = autoCreateIncident ? 'with an incident' : 'without one'
  t.test(
    `an outage starts at its first failed result, in the history too, ${emitted}`,
    async (t) => {
      const { checked, says, request } = await monitored({ autoCreateIncident })
      const id = await checked('API')
      kit.clock.advance(100_000)
      await says(id, 'major_outage', { agoMs: 50_000 })
      const { body } = await request(componentOperations.read, { params: { id } })
      const statusSource = autoCreateIncident ? 'incident' : 'monitor'
      t.match(body, { status: 'major_outage', statusSource })
      t.ok(body.uptimePercentage > 45 && body.uptimePercentage < 55, String(body.uptimePercentage))
    },
  )
}

t.test('an older event changes nothing, and the same event is applied once', async (t) => {
  const { checked, says, incidents, status } = await monitored()
  const id = await checked('API')
  await says(id, 'major_outage', { version: 1 })
  await says(id, 'operational', { version: 3 })
  await says(id, 'major_outage', { version: 2 })
  t.equal(await status(id), 'operational manual')
  t.equal((await incidents()).length, 1)
})

t.test(
  'a relapse within ten minutes reopens the incident, a later one opens another',
  async (t) => {
    const { checked, says, incidents } = await monitored()
    const id = await checked('API')
    await says(id, 'major_outage')
    await says(id, 'operational')
    kit.clock.advance(9 * 60_000)
    await says(id, 'major_outage')
    t.match(await incidents(), [{ status: 'investigating', reopenCount: 1, autoResolved: false }])
    await says(id, 'operational')
    kit.clock.advance(11 * 60_000)
    await says(id, 'major_outage')
    t.match(await incidents(), [{ status: 'resolved' }, { status: 'investigating' }])
  },
)

t.test('relatives that fail together share one incident, which ends with the last', async (t) => {
  const { checked, says, incidents, status } = await monitored()
  const parent = await checked('P')
  const child = await checked('C', { parentComponentId: parent })
  await says(parent, 'major_outage')
  await says(child, 'major_outage')
  t.match(await incidents(), [{ components: [{ id: parent }, { id: child }] }])
  await says(parent, 'operational')
  t.equal(await status(parent), 'operational manual')
  t.match(await incidents(), [{ status: 'investigating' }])
  await says(child, 'operational')
  t.match(await incidents(), [{ status: 'resolved', autoResolved: true }])
})

t.test('a recovery adds a note to an incident with an update by a user', async (t) => {
  const { request, checked, says, incidents, status } = await monitored()
  const id = await checked('API')
  await says(id, 'major_outage')
  const [{ id: incidentId }] = await incidents()
  await request(on.addUpdate, { params: { id: incidentId }, body: { message: 'We look.' } })
  await says(id, 'operational')
  t.equal(await status(id), 'operational manual')
  t.match(await incidents(), [
    { status: 'investigating', autoResolved: false, updates: { length: 3 } },
  ])
})

t.test(
  'without autoResolve the incident stays open, without autoCreateIncident none is opened',
  async (t) => {
    const { checked, says, incidents, status } = await monitored()
    const [stays, silent] = [
      await checked('A', { autoResolve: false }),
      await checked('B', { autoCreateIncident: false }),
    ]
    await says(stays, 'major_outage')
    await says(stays, 'operational')
    await says(silent, 'degraded_performance')
    t.equal(await status(silent), 'degraded_performance monitor')
    await says(silent, 'major_outage')
    t.equal(await status(silent), 'major_outage monitor')
    t.match(await incidents(), [
      { status: 'investigating', components: [{ id: stays, status: 'major_outage' }] },
    ])
    t.equal((await incidents()).length, 1)
  },
)

t.test(
  'automatic updates of an incident are limited, the first one and those of users remain',
  async (t) => {
    const { checked, says, request, incidents } = await monitored()
    const id = await checked('API')
    await says(id, 'major_outage')
    const [{ id: incidentId }] = await incidents()
    const params = { id: incidentId }
    await request(on.addUpdate, { params, body: { message: 'We look at it.' } })
    const administrator = await connect({ url: kit.adminUrl, service: 'core' })
    t.teardown(() => administrator.close())
    await administrator.batchSql`
    INSERT INTO core.incident_updates SELECT copies.*
    FROM core.incident_updates u, generate_series(1, ${MAX_UPDATES_WITH_AUTOMATIC - 2}) n,
      jsonb_populate_record(u, jsonb_build_object('id', gen_random_uuid(),
        'incident_version', 10 + n, 'by_person', false, 'message', 'note')) copies
    WHERE u.incident_id = ${incidentId} AND u.by_person`
    await administrator.batchSql`UPDATE core.incidents SET version = 5000 WHERE id = ${incidentId}`
    for (const status of ['operational', 'major_outage', 'operational'] as const) {
      await says(id, status)
    }
    const [{ updates }] = await incidents()
    t.equal(updates.length, MAX_UPDATES_WITH_AUTOMATIC)
    t.match(updates[0].message, 'have succeeded')
    t.match(updates.at(-1).message, 'have failed')
    t.equal(updates.at(-2).message, 'We look at it.')
  },
)

t.test('an event about a deleted component is acknowledged without effect', async (t) => {
  const { says, incidents } = await monitored()
  await says(newId(), 'major_outage')
  t.same(await incidents(), [])
})
