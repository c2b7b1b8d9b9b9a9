/** Runs the conformance suite for every platform, with its response formats. */
import type { TargetRequest } from '@status-page/testing'
import t from 'tap'
import { conform, SECRET } from './conformance.fixture.ts'
import { baseUrlOf, stepSecondsOf, testMessageOf } from './platform.ts'

const valueText = (value: number) =>
  Number.isFinite(value) || Number.isNaN(value) ? String(value) : value > 0 ? '+Inf' : '-Inf'

/** JSON has no NaN; null replaces it. */
const valueOrNull = (value: number) => (Number.isFinite(value) ? value : null)

const queryOf = ({ url }: TargetRequest, name: string) =>
  new URL(url, 'https://x').searchParams.get(name)

const prometheusSays = (data: object) => ({ status: 'success', data })

conform(t, {
  type: 'prometheus',
  integrationAt: (url) => ({
    id: 'i1',
    type: 'prometheus',
    config: { url, username: null, password: null, bearerToken: SECRET },
  }),
  answerOf: (series, aggregation) => {
    const pairs = series.map((points) =>
      points.map(({ atMs, value }) => [atMs / 1000, valueText(value)]),
    )
    return prometheusSays(
      aggregation === 'last'
        ? {
            resultType: 'vector',
            result: pairs.flatMap(([value]) => (value === undefined ? [] : { metric: {}, value })),
          }
        : { resultType: 'matrix', result: pairs.map((values) => ({ metric: {}, values })) },
    )
  },
  responses: [
    ['an error', 'query_error', { status: 'error', errorType: 'bad_data', error: SECRET }],
    ['a string', 'query_error', prometheusSays({ resultType: 'string', result: [1, 'x'] })],
    ['no data', 'bad_answer', { status: 'success' }],
    ['no result', 'bad_answer', prometheusSays({ resultType: 'vector', result: {} })],
    ['no pair', 'bad_answer', prometheusSays({ resultType: 'vector', result: [{ value: 1 }] })],
    [
      'no text',
      'bad_answer',
      prometheusSays({ resultType: 'vector', result: [{ value: [1, 2] }] }),
    ],
  ],
  asks: (request, query) =>
    request.method === 'GET' &&
    /^\/api\/v1\/query(_range)?\?/.test(request.url) &&
    queryOf(request, 'query') === query,
  trial: prometheusSays({ resultType: 'scalar', result: [1, '1'] }),
})

conform(t, {
  type: 'datadog',
  integrationAt: () => ({
    id: 'i1',
    type: 'datadog',
    config: { site: 'datadoghq.com', apiKey: SECRET, appKey: SECRET },
  }),
  answerOf: (series) => ({
    status: 'ok',
    series: series.map((points) => ({
      pointlist: points.map(({ atMs, value }) => [atMs, valueOrNull(value)]),
    })),
  }),
  responses: [
    ['an error', 'query_error', { status: 'error', error: SECRET, series: [] }],
    ['no series', 'bad_answer', { status: 'ok' }],
    ['no points', 'bad_answer', { status: 'ok', series: [{}] }],
    ['no pair', 'bad_answer', { status: 'ok', series: [{ pointlist: [1] }] }],
  ],
  asks: (request, query) =>
    request.url.startsWith('/api/v1/query?') &&
    queryOf(request, 'query') === query &&
    Number(queryOf(request, 'from')) < Number(queryOf(request, 'to')),
  trial: { status: 'ok', series: [] },
})

const grafanaSays = (result: object) => ({ results: { A: result } })

conform(t, {
  type: 'grafana',
  integrationAt: (url) => ({
    id: 'i1',
    type: 'grafana',
    config: { url, token: SECRET, datasourceUid: 'prom-1' },
  }),
  answerOf: (series) =>
    grafanaSays({
      status: 200,
      frames: series.map((points) => ({
        schema: { fields: [{ type: 'time' }, { type: 'number' }] },
        data: {
          values: [points.map(({ atMs }) => atMs), points.map(({ value }) => valueOrNull(value))],
        },
      })),
    }),
  responses: [
    ['an error', 'query_error', grafanaSays({ error: SECRET, status: 500 })],
    ['a status', 'query_error', grafanaSays({ status: 400, frames: [] })],
    ['no result', 'bad_answer', { results: {} }],
    ['no frames', 'bad_answer', grafanaSays({ frames: {} })],
    ['no frame', 'bad_answer', grafanaSays({ frames: [1] })],
    ['no columns', 'bad_answer', grafanaSays({ frames: [{ schema: { fields: [] }, data: {} }] })],
  ],
  asks: (request, query) => {
    const { queries } = JSON.parse(request.body)
    return (
      request.url === '/api/ds/query' &&
      queries[0].expr === query &&
      queries[0].datasource.uid === 'prom-1'
    )
  },
  trial: { status: 'OK', message: 'Successfully queried' },
})

const newRelicSays = (account: object | null) => ({ data: { actor: { account } } })

conform(t, {
  type: 'newrelic',
  integrationAt: () => ({
    id: 'i1',
    type: 'newrelic',
    config: { accountId: 12345, region: 'EU', apiKey: SECRET },
  }),
  answerOf: (series) => {
    const isFaceted = series.length > 1
    const results = series.flatMap((points, index) =>
      points.map(({ atMs, value }) => ({
        ...(isFaceted ? { facet: `host-${index}` } : {}),
        beginTimeSeconds: atMs / 1000 - 60,
        endTimeSeconds: atMs / 1000,
        'average.duration': valueOrNull(value),
      })),
    )
    return newRelicSays({ nrql: { results } })
  },
  responses: [
    ['an error', 'query_error', { errors: [{ message: SECRET }], data: null }],
    ['no account', 'query_error', newRelicSays(null)],
    ['no nrql', 'bad_answer', newRelicSays({})],
    ['no results', 'bad_answer', newRelicSays({ nrql: { results: {} } })],
    ['no row', 'bad_answer', newRelicSays({ nrql: { results: [1] } })],
    [
      'two figures',
      'several_series',
      newRelicSays({ nrql: { results: [{ count: 1, 'sum.x': 2 }] } }),
    ],
  ],
  asks: (request, query) => {
    const { variables } = JSON.parse(request.body)
    return (
      request.url === '/graphql' &&
      variables.account === 12345 &&
      /^.{10,} SINCE \d+ seconds ago$/.test(variables.nrql) &&
      variables.nrql.startsWith(query)
    )
  },
  trial: newRelicSays({ id: 12345 }),
})

t.test('the step limits the number of points of a query', async (t) => {
  const question = { query: 'x', aggregation: 'avg', nowMs: 0 } as const
  t.equal(stepSecondsOf({ ...question, seconds: 10 }), 1)
  t.equal(stepSecondsOf({ ...question, seconds: 86_400 }), 1440)
})

t.test('a test returns the faults of its contract and bad_answer for all others', async (t) => {
  t.equal(testMessageOf(null), 'ok')
  t.equal(testMessageOf('tls_error'), 'tls_error')
  for (const fault of ['protocol_error', 'too_large', 'query_error', 'rate_limited'] as const) {
    t.equal(testMessageOf(fault), 'bad_answer', fault)
  }
})

t.test('the path of the API is appended to the path of the URL', async (t) => {
  t.equal(baseUrlOf({ url: 'https://example.com/' }), 'https://example.com')
  t.equal(
    baseUrlOf({ url: 'https://example.com:8443/prom//?x=1' }),
    'https://example.com:8443/prom',
  )
})
