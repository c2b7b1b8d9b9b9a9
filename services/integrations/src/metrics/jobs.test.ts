/** Scheduled polls: one query per slot, evaluated against thresholds, published like checks. */
import {
  draftEvent,
  type MaintenanceEventData,
  type MetricPoint,
  maintenanceCompleted,
  maintenanceStarted,
  metricOperations,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { eventually, inject, testDatabase } from '@status-page/testing'
import t, { type Test } from 'tap'
import {
  fakePrometheus,
  manualClock,
  metricComponent,
  pass,
  stage,
  startPoller,
} from '../integrations.fixture.ts'
import { createSummariesByKind } from './summary.ts'

const MINUTE = 60_000

// Keeps the test server running for the whole file; releasing the last database stops it.
await testDatabase(t, { services: [] })

const measured = async (t: Test) => {
  const staged = await stage(t)
  const platform = await fakePrometheus(t)
  const config = { url: platform.url, bearerToken: 'a-token' }
  const made = await staged.create({ name: 'Metrics', type: 'prometheus', config })
  t.equal(made.status, 201, JSON.stringify(made.body))
  const clock = manualClock()
  const summaries = createSummariesByKind(staged.database)
  const poller = await startPoller(t, staged, clock, {
    onStored: (row, kind) => summaries[kind].add(row),
  })
  const integrationId: string = made.body.id
  return {
    ...staged,
    platform,
    clock,
    poller,
    integrationId,
    summaries,
    /** Runs one poll per value and returns it. */
    async polls(...values: (number | string | null)[]) {
      for (const value of values) {
        platform.say(value)
        await pass(clock, poller, MINUTE)
      }
    },
    known: (count: number) => eventually(() => poller.gauges().metrics === count),
  }
}

t.test(
  'each value is evaluated by itself, and a change of the derived status is published',
  async (t) => {
    const {
      publishComponent,
      polls,
      publishedEvents,
      integrationId,
      platform,
      known,
      app,
      caller,
      ...rest
    } = await measured(t)
    const queue = metricComponent(integrationId)
    await publishComponent('created', queue, 1)
    await known(1)

    await polls(10, 99)
    t.same(await publishedEvents(), [])
    t.equal(platform.requests[0]?.headers.authorization, 'Bearer a-token')
    await polls(100, 120)
    t.match(await publishedEvents(), [
      { kind: 'monitor.degraded', componentId: queue.id, name: 'Queue' },
    ])
    await polls(501)
    const published = await publishedEvents()
    t.match(published[1], { kind: 'monitor.down', derivedStatus: 'major_outage' })
    t.match(published[1], { reason: 'the value is too high: 501', isFlapping: false })

    await polls(null, 'NaN', '+Inf')
    t.equal((await publishedEvents()).length, 2, 'no data is neither good nor bad')
    await polls(1)
    t.match((await publishedEvents())[2], {
      kind: 'monitor.recovered',
      derivedStatus: 'operational',
    })

    const asked = { caller, body: { componentIds: [queue.id], checksPerTarget: 20 } }
    const { body } = await inject(app, metricOperations.recent, asked)
    t.match(body.targets[0].monitor, { kind: 'metric', interval: 60, derivedStatus: 'operational' })
    t.same(
      body.targets[0].checks.map(({ status, value, error }: Record<string, unknown>) => [
        status,
        value,
        error,
      ]),
      [
        ['SUCCESS', 1, null],
        ['ERROR', null, 'no_data'],
        ['ERROR', null, 'no_data'],
        ['ERROR', null, 'no_data'],
        ['FAILURE', 501, null],
        ['DEGRADED', 120, null],
        ['DEGRADED', 100, null],
        ['SUCCESS', 99, null],
        ['SUCCESS', 10, null],
      ],
    )
    const listed = await inject(app, metricOperations.list, {
      caller,
      params: { id: queue.id },
      query: { status: 'ERROR', pageSize: 2 },
    })
    t.equal(listed.body.meta.total, 3)
    const to = new Date(rest.clock.now() + MINUTE).toISOString()
    const seriesOf = (id: string) =>
      inject(app, metricOperations.series, { caller, params: { id }, query: { to } })
    const points = (await seriesOf(queue.id)).body.points as MetricPoint[]
    const sum = (name: 'polls' | 'values') =>
      points.reduce((total, point) => total + point[name], 0)
    t.same([sum('polls'), sum('values')], [9, 6])
    t.equal(Math.max(...points.map(({ maximum }) => maximum ?? 0)), 501)
    t.same((await seriesOf(integrationId)).body.points, [])

    await rest.summaries.component.job.run(new AbortController().signal)
    const [summary] = await rest.sql<{ payload: { components: object[] } }[]>`
    SELECT payload FROM integrations.outbox WHERE kind = 'metric.summarised'`
    t.match(summary?.payload.components, [{ id: queue.id, lastValue: 1 }])
  },
)

t.test('the order of the thresholds decides whether lower values are worse', async (t) => {
  const { publishComponent, polls, publishedEvents, integrationId, known } = await measured(t)
  await publishComponent(
    'created',
    metricComponent(integrationId, { warningThreshold: 50, criticalThreshold: 10 }),
    1,
  )
  await known(1)
  await polls(51, 50, 10)
  t.match(await publishedEvents(), [
    { kind: 'monitor.degraded', reason: 'the value is too low: 50' },
    { kind: 'monitor.down' },
  ])
})

t.test('a query has its own state and publishes no status change', async (t) => {
  const {
    polls,
    publishedEvents,
    query,
    integrationId: id,
    known,
    update,
    ...rest
  } = await measured(t)
  const { clock, sql } = rest
  const body = { name: 'Latency', query: 'latency', warningThreshold: 5, criticalThreshold: 9 }
  const made = await query('create', { id }, { body })
  t.match(made.body, { lastStatus: 'no_data', lastValue: null, decimalPlaces: 2 })
  const queryId: string = made.body.id
  await known(1)
  const read = async () =>
    (await query('read', { id, queryId }, { query: { include: 'values' } })).body
  const expected: [value: number | null, state: object][] = [
    [4, { lastStatus: 'ok', lastValue: 4, lastError: null }],
    [5, { lastStatus: 'warning', lastValue: 5 }],
    [9, { lastStatus: 'critical', lastValue: 9 }],
    [null, { lastStatus: 'no_data', lastValue: 9, lastError: 'no_data' }],
  ]
  for (const [value, state] of expected) {
    await polls(value)
    t.match(await read(), state)
  }
  t.same(
    (await read()).values.map(({ value }: { value: number }) => value),
    [4, 5, 9],
  )
  await query('update', { id, queryId }, { body: { query: 'broken' } })
  await eventually(async () => {
    await polls(null)
    return (await read()).lastError === 'query_error'
  })
  t.match(await read(), { lastStatus: 'error', lastValue: 9 })
  t.same(await publishedEvents(), [])

  const to = new Date(clock.now() + MINUTE).toISOString()
  const { body: series } = await query('series', { id, queryId }, { query: { to } })
  const sum = (name: string) =>
    series.points.reduce(
      (total: number, point: Record<string, number>) => total + (point[name] ?? 0),
      0,
    )
  t.equal(sum('values'), 3)
  t.ok(sum('polls') >= 5)
  t.equal(series.resolution, 300)
  const hourly = await query('series', { id, queryId }, { query: { to, resolution: '3600' } })
  t.ok(hourly.body.points.some(({ maximum }: { maximum: number }) => maximum === 9))

  await update(id, { isEnabled: false })
  await known(0)

  await query('update', { id, queryId }, { body: { showOnStatusPage: true, unit: 'ms' } })
  await query('remove', { id, queryId })
  const published = await sql<{ kind: string; payload: { metricQuery: object } }[]>`
    SELECT kind, payload FROM integrations.outbox WHERE kind LIKE 'metric-query.%' ORDER BY seq`
  t.match(
    published.map(({ kind, payload }) => [kind, payload.metricQuery]),
    [
      ['metric-query.created', { isShown: false }],
      ['metric-query.updated', { isShown: false }],
      ['metric-query.updated', { isShown: true, unit: 'ms', name: 'Latency' }],
      ['metric-query.deleted', { isShown: false }],
    ],
  )
  t.notMatch(JSON.stringify(published), 'broken', 'the query text is not published')
})

const maintenanceOf = (componentId: string): MaintenanceEventData => ({
  id: newId(),
  title: 'DB upgrade',
  status: 'in_progress',
  message: '',
  news: null,
  scheduledFor: '2026-01-02T03:00:00.000Z',
  scheduledUntil: '2026-01-02T04:00:00.000Z',
  startedAt: '2026-01-02T03:00:00.000Z',
  completedAt: null,
  cancelledAt: null,
  url: null,
  components: [
    { id: componentId, name: 'Queue', status: 'operational', isMuted: false, ancestorIds: [] },
  ],
  statusPageIds: [],
  notifySubscribers: true,
})

t.test(
  'a result during a maintenance is stored, and published if it outlives the maintenance',
  async (t) => {
    const { publishComponent, state, polls, publishedEvents, integrationId, known, clock } =
      await measured(t)
    const queue = metricComponent(integrationId)
    await publishComponent('created', queue, 1)
    await known(1)
    const one = maintenanceOf(queue.id)
    await state(draftEvent(maintenanceStarted, { id: one.id, version: 2 }, { maintenance: one }))
    await polls(900, 900)
    t.same(await publishedEvents(), [])
    const over: MaintenanceEventData = { ...one, status: 'completed' }
    await state(draftEvent(maintenanceCompleted, { id: one.id, version: 3 }, { maintenance: over }))
    t.same(await publishedEvents(), [], 'the end of the maintenance alone publishes nothing')
    // The end of a maintenance uses the database's clock, which the test's clock must have passed.
    clock.advance(MINUTE)
    await polls(900)
    t.match(await publishedEvents(), [{ kind: 'monitor.down' }])
  },
)

t.test('a deleted component is not queried any more, and its values are deleted', async (t) => {
  const { publishComponent, polls, integrationId, known, poller, sql, remove } = await measured(t)
  const queue = metricComponent(integrationId)
  await publishComponent('created', queue, 1)
  await known(1)
  await polls(1)
  t.match(await remove(integrationId), { status: 409, body: { error: { code: 'CONFLICT' } } })
  await publishComponent('deleted', queue, 3)
  await known(0)
  await publishComponent('updated', queue, 2)
  await sql`UPDATE integrations.metrics SET deleted_at = now() - interval '1 hour'`
  const erase = poller.jobs.find(({ name }) => name === 'erase-deleted')
  await eventually(async () => (await erase?.run(new AbortController().signal)) === 0)
  const left = await sql`SELECT metric_id FROM integrations.metric_values
    UNION ALL SELECT metric_id FROM integrations.metric_rollups`
  t.same([...left], [])
  t.equal((await remove(integrationId)).status, 200)
})
