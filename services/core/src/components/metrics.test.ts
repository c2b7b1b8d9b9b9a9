/** METRIC components: bound to an integration, with its values and status. */
import {
  type ComponentEventData,
  componentValueOperations,
  draftEvent,
  incidentOperations,
  integrationCreated,
  integrationDeleted,
  type MonitorEventData,
  metricOperations,
  metricSummarised,
  monitorDegraded,
  monitorDown,
  monitorRecovered,
  componentOperations as on,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'

const kit = await coreKit(t)

const including = (include: string) => ({ include })

const known = async (organizationId: string, id = newId()) => {
  const integration = { id, name: 'Metrics', type: 'prometheus' } as const
  await kit.publish(
    'integrations',
    organizationId,
    draftEvent(integrationCreated, { id, version: 1 }, { integration }),
  )
  return id
}

const queue = (integrationId: string, given: object = {}) => ({
  type: 'METRIC',
  name: 'Queue',
  integrationId,
  query: 'queue_depth',
  ...given,
})

t.test('a METRIC references an integration of its own organization', async (t) => {
  const { request, organizationId } = kit.as()
  const { organizationId: stranger } = kit.as()
  const integrationId = await known(organizationId)
  for (const foreign of [newId(), await known(stranger)]) {
    t.match(await request(on.create, { body: queue(foreign) }), {
      status: 400,
      body: { error: { details: { field: 'integrationId' } } },
    })
  }
  const created = await request(on.create, {
    body: queue(integrationId, { criticalThreshold: 500 }),
  })
  t.match(created, {
    status: 201,
    body: {
      type: 'METRIC',
      integrationId,
      query: 'queue_depth',
      pollingInterval: 60,
      warningThreshold: null,
      criticalThreshold: 500,
      lastValue: null,
      lastValueAt: null,
    },
  })
  const emitted = (await kit.outbox(organizationId)).events[0]?.data as {
    component: ComponentEventData
  }
  t.match(emitted.component, { endpoint: null, metric: { integrationId, pollingInterval: 60 } })

  const params = { id: created.body.id }
  const patch = { warningThreshold: 100, criticalThreshold: null, url: 'not judged' }
  t.match((await request(on.update, { params, body: patch })).body, {
    warningThreshold: 100,
    criticalThreshold: null,
  })
  t.equal((await request(on.update, { params, body: { integrationId: newId() } })).status, 400)
  t.equal((await request(on.update, { params, body: { integrationId: null } })).status, 400)
  t.match((await request(on.clone, { params })).body, { integrationId, isEnabled: false })
  t.equal((await request(on.check, { params })).status, 400, 'only an ENDPOINT can be checked')

  const integration = { id: integrationId, name: 'Metrics', type: 'prometheus' } as const
  await kit.publishAndHandle(
    'integrations',
    organizationId,
    draftEvent(integrationDeleted, { id: integrationId, version: 2 }, { integration }),
  )
  t.equal((await request(on.create, { body: queue(integrationId) })).status, 400, 'gone')
  t.equal(
    (await request(on.update, { params, body: { name: 'Q' } })).status,
    200,
    'the stored value is retained',
  )
})

t.test(
  'metric values of integrations have the same effect as check results of the monitor',
  async (t) => {
    const { request, organizationId } = kit.as()
    const { body: created } = await request(on.create, { body: queue(await known(organizationId)) })
    const params = { id: created.id }
    const facts = [
      [monitorDegraded, 'degraded_performance'],
      [monitorDown, 'major_outage'],
      [monitorRecovered, 'operational'],
    ] as const
    for (const [index, [kind, derivedStatus]] of facts.entries()) {
      const monitor: MonitorEventData = {
        componentId: created.id,
        name: 'Queue',
        derivedStatus,
        reason: 'the value is too high: 9',
        since: new Date().toISOString(),
      }
      const event = draftEvent(
        kind as typeof monitorDown,
        { id: created.id, version: index + 1 },
        { monitor },
      )
      await kit.publishAndHandle('integrations', organizationId, event)
      t.match((await request(on.read, { params })).body, { status: derivedStatus })
    }
    const incidents = await request(incidentOperations.list)
    t.equal(incidents.body.meta.total, 0, 'a METRIC opens no incidents')

    const at = '2026-08-01T09:30:00.000Z'
    const values = {
      components: [{ id: created.id, lastCheckAt: at, lastValue: 1.5, lastValueAt: at }],
    }
    await kit.publishAndHandle(
      'integrations',
      organizationId,
      draftEvent(metricSummarised, { id: newId(), version: 1 }, values),
    )
    t.match((await request(on.read, { params })).body, {
      lastValue: 1.5,
      lastValueAt: at,
      lastCheckAt: at,
    })
  },
)

t.test('monitor and checks of a METRIC are queried from integrations', async (t) => {
  const { request, organizationId } = kit.as()
  const { body: created } = await request(on.create, { body: queue(await known(organizationId)) })
  const asked: string[] = []
  kit.scriptMonitor((operation) => {
    asked.push(operation.id)
    return operation.id === metricOperations.recent.id
      ? { targets: [] }
      : { data: [], meta: { total: 0, page: 1, pageSize: 20 } }
  })
  const params = { id: created.id }
  const { body } = await request(on.read, { params, query: { include: 'monitors,checks' } })
  t.match(body, { monitors: [{ kind: 'metric', interval: 60 }], checks: [] })
  t.same(asked, [metricOperations.recent.id])
})

t.test('values of a METRIC are read from integrations, and of no foreign component', async (t) => {
  const { request, organizationId } = kit.as()
  const { body: created } = await request(on.create, { body: queue(await known(organizationId)) })
  const times = { from: '2026-08-01T00:00:00.000Z', to: '2026-08-02T00:00:00.000Z' }
  const questions: unknown[] = []
  kit.scriptMonitor((operation, question) => {
    t.equal(operation.id, metricOperations.series.id)
    questions.push(question)
    return { componentId: created.id, ...times, resolution: 300, points: [] }
  })
  const params = { id: created.id }
  const { values } = componentValueOperations
  t.equal((await request(values, { params, query: times })).status, 200)
  t.match(questions, [{ params, query: times }])
  const backwards = { from: times.to, to: times.from }
  t.equal((await request(values, { params, query: backwards })).status, 400)
  t.equal((await kit.as().request(values, { params })).status, 404)
  const { body: service } = await request(on.create, { body: { type: 'SERVICE', name: 'API' } })
  const empty = await request(values, { params: { id: service.id }, query: times })
  t.match(empty, { status: 200, body: { componentId: service.id, ...times, resolution: 300 } })
  t.same(empty.body.points, [])
  t.equal(questions.length, 1, 'integrations is queried for a METRIC only')
})

t.test('values are the same in every part of a response, however old the copy is', async (t) => {
  const { request, organizationId } = kit.as()
  const { body: created } = await request(on.create, { body: queue(await known(organizationId)) })
  const [old, at] = ['2026-08-01T09:30:00.000Z', '2026-08-01T09:30:50.000Z']
  const values = {
    components: [{ id: created.id, lastCheckAt: old, lastValue: 1.5, lastValueAt: old }],
  }
  const fact = draftEvent(metricSummarised, { id: newId(), version: 1 }, values)
  await kit.publishAndHandle('integrations', organizationId, fact)
  const monitor = {
    kind: 'metric',
    isEnabled: true,
    interval: 60,
    derivedStatus: 'operational',
    consecutiveFailures: 0,
    consecutiveSuccesses: 1,
    lastCheckAt: at,
    nextCheckAt: null,
    certificateExpiresAt: null,
    certificateSubject: null,
    certificateIssuer: null,
    isFlapping: false,
    unservedLocations: [],
  }
  kit.scriptMonitor(() => ({
    targets: [{ componentId: created.id, monitor, lastValue: 7, lastValueAt: at, checks: [] }],
  }))
  const current = { lastCheckAt: at, lastValue: 7, lastValueAt: at }
  const params = { id: created.id }
  for (const query of [{}, ...['monitors', 'checks', 'monitors,checks'].map(including)]) {
    t.match((await request(on.read, { params, query })).body, current, JSON.stringify(query))
  }
  t.match((await request(on.list)).body.data, [current], 'in a list')
  t.match(
    (await request(on.update, { params, body: { name: 'Q' } })).body,
    current,
    'after a change',
  )
  const bulk = { updates: [{ id: created.id, order: 1 }] }
  t.match((await request(on.bulk, { body: bulk })).body.data, [current], 'after a bulk change')
})
