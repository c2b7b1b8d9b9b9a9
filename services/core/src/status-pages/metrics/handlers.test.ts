/** Metrics on pages: shown with their component or on all pages, without their queries. */
import {
  componentOperations,
  draftEvent,
  integrationDeleted,
  type MetricQueryEventData,
  metricQueryCreated,
  metricQueryUpdated,
  metricSummarised,
  pageOperations,
  publicOperations,
  statusPageOperations,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import t from 'tap'
import { coreKit } from '../../core.fixture.ts'

const kit = await coreKit(t)
const QUARTER_MS = 900_000

t.test('a page has the metrics of its components, and those of the whole page', async (t) => {
  const { request, organizationId } = kit.as()
  const make = async (name: string) =>
    (await request(componentOperations.create, { body: { type: 'SERVICE', name } })).body
      .id as string
  const [api, hidden] = [await make('API'), await make('Shop')]
  const slug = `figures-${newId().slice(-8)}`
  const components = [{ componentId: api }]
  await request(statusPageOperations.create, {
    body: { name: 'Figures', slug, isPublished: true, components },
  })
  const integrationId = newId()
  const fact = (name: string, given: Partial<MetricQueryEventData>): MetricQueryEventData => ({
    id: newId(),
    integrationId,
    componentId: null,
    name,
    unit: 'ms',
    decimalPlaces: 0,
    isShown: true,
    ...given,
  })
  const facts = [
    fact('Of all', {}),
    fact('Of the API', { componentId: api }),
    fact('Of another page', { componentId: hidden }),
    fact('Of no page', { isShown: false }),
  ]
  const state = (metricQuery: MetricQueryEventData, version = 1) => {
    const kind = version === 1 ? metricQueryCreated : metricQueryUpdated
    const event = draftEvent(
      kind as typeof metricQueryCreated,
      { id: metricQuery.id, version },
      { metricQuery },
    )
    return kit.publishAndHandle('integrations', organizationId, event)
  }
  for (const one of facts) await state(one)
  const page = async () => (await kit.request(publicOperations.status, { params: { slug } })).body
  const names = async () => (await page()).metrics.map(({ name }: { name: string }) => name)
  t.same(await names(), ['Of all', 'Of the API'])
  for (const [operation, accept] of [
    [publicOperations.status, 'application/json'],
    [pageOperations.show, 'text/html'],
    [pageOperations.show, 'text/markdown'],
  ] as const) {
    const { headers } = await kit.request(operation, { params: { slug }, headers: { accept } })
    t.equal(headers['cache-control'], 'public, max-age=2, stale-if-error=86400', accept)
  }

  const [first] = facts as [MetricQueryEventData]
  const quarter = Math.floor(Date.now() / QUARTER_MS) * QUARTER_MS
  const at = (quarters: number) => new Date(quarter + quarters * QUARTER_MS).toISOString()
  const summarise = (value: number, ...means: [quarters: number, value: number][]) => {
    const points = means.map(([quarters, value]) => ({ timestamp: at(quarters), value }))
    const lastValueAt = new Date().toISOString()
    const queries = [{ id: first.id, lastValue: value, lastValueAt, means: points }]
    const about = { id: newId(), version: 1 }
    const event = draftEvent(metricSummarised, about, { components: [], queries })
    return kit.publishAndHandle('integrations', organizationId, event)
  }
  await summarise(120, [-97, 1], [-2, 100], [-1, 110])
  await summarise(130, [-1, 118], [0, 130])
  const [shown] = (await page()).metrics
  t.match(shown, { id: first.id, unit: 'ms', lastValue: 130 })
  t.same(
    shown.points,
    [
      [-2, 100],
      [-1, 118],
      [0, 130],
    ].map(([quarters = 0, value]) => ({ timestamp: at(quarters), value })),
    'of one day, each as in the latest event',
  )
  await summarise(130, [-96 * 6, 50], [-96 * 32, 7])
  const pointsOf = async (metricRange: 'day' | 'week' | 'month') => {
    const query = { metricRange }
    const { body } = await kit.request(publicOperations.status, { params: { slug }, query })
    return body.metrics[0].points as { timestamp: string; value: number }[]
  }
  t.equal((await pointsOf('day')).length, 3)
  const [oldest, yesterday, ...today] = await pointsOf('week')
  t.equal(oldest?.value, 50)
  t.equal(yesterday?.value, 1)
  t.match(oldest?.timestamp, /T\d[02468]:00:00/, 'means of two hours')
  t.ok(today.length === 1 || today.length === 2)
  t.ok(today.every(({ value }) => value >= 100 && value <= 130))
  t.equal((await pointsOf('month'))[0]?.value, 50, 'values are stored for 31 days')
  t.same(Object.keys(shown).toSorted(), [
    'decimalPlaces',
    'id',
    'lastValue',
    'lastValueAt',
    'name',
    'points',
    'unit',
  ])
  await state({ ...first, name: 'Renamed' }, 2)
  t.same(await names(), ['Of the API', 'Renamed'])
  const integration = { id: integrationId, name: 'M', type: 'prometheus' } as const
  await kit.publishAndHandle(
    'integrations',
    organizationId,
    draftEvent(integrationDeleted, { id: integrationId, version: 2 }, { integration }),
  )
  t.same(await names(), [], 'removed with their integration')
})
