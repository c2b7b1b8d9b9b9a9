/**
 * Conformance suite of platforms: a value or the kind of fault for every response and for none, no
 * throw, no followed redirect, and no secret or text of the response in the result.
 */
import type { IntegrationType, MetricAggregation, MetricFault } from '@status-page/contracts'
import {
  httpTarget,
  type TargetRequest,
  type TargetResponse,
  tcpTarget,
} from '@status-page/testing'
import type { Test } from 'tap'
import { loopbackOutbound, loopbackTls } from '../integrations.fixture.ts'
import { type Platforms, platforms } from './index.ts'
import { createMetricsClient, type QueryResult } from './metrics-client.ts'
import type { DecryptedIntegration, Point } from './platform.ts'

export const SECRET = 'swordfish-1234567890'
/** Timeout for servers that hang; others get the time that a busy machine may need. */
const HANGING_MS = 300
const PATIENT_MS = 20_000
const TOO_MUCH = 1024 * 1024 + 1

export interface PlatformConformance {
  type: IntegrationType
  integrationAt(origin: string): DecryptedIntegration
  /** Response body with the series; a value may be NaN or infinite. */
  answerOf(series: readonly (readonly Point[])[], aggregation: MetricAggregation): object
  /** Other responses with status 200 and their faults. */
  responses: readonly [what: string, fault: MetricFault, body: object][]
  /** True for the request that contains `query`. */
  asks(request: TargetRequest, query: string): boolean
  /** Response of a successful connection test. */
  trial: object
}

const QUERY = 'sum(up{job="api"})'

export const conform = (t: Test, platform: PlatformConformance): void => {
  const { type } = platform
  /** Starts a server and a platform that uses its address. */
  const stage = async (t: Test, allowCidrs?: string[]) => {
    const target = await httpTarget(t, {}, loopbackTls)
    const { outbound } = loopbackOutbound(t, allowCidrs)
    const at = (origin: string, timeoutMs = PATIENT_MS) => {
      const moved = { ...platforms, [type]: { ...platforms[type], origin: () => origin } }
      return createMetricsClient({ outbound, platforms: moved as Platforms, timeoutMs })
    }
    const ask = async (
      aggregation: MetricAggregation = 'last',
      { origin = target.url, timeoutMs = PATIENT_MS } = {},
    ) => {
      const question = { query: QUERY, aggregation, seconds: 60, nowMs: NOW_MS }
      const answer = await at(origin, timeoutMs).query(platform.integrationAt(origin), question)
      t.notMatch(JSON.stringify(answer), SECRET, 'no secret in a response')
      return answer
    }
    return {
      target,
      ask,
      test: () => at(target.url).test(platform.integrationAt(target.url)),
      say: (series: readonly (readonly Point[])[], aggregation: MetricAggregation = 'last') => {
        target.respond({ body: JSON.stringify(platform.answerOf(series, aggregation)) })
      },
    }
  }

  t.test(`${type}: a series is aggregated to a value`, async (t) => {
    const { target, ask, say } = await stage(t)
    const points = [point(1, -2), point(5, -1), point(3, 0)]
    const expected = { last: 3, avg: 3, min: 1, max: 5, sum: 9 }
    for (const [name, value] of Object.entries(expected)) {
      const aggregation = name as MetricAggregation
      say(aggregation === 'last' ? [[point(3, 0)]] : [points], aggregation)
      t.match(await ask(aggregation), { value, fault: null, retryAfterMs: null }, aggregation)
    }
    t.equal(target.requests.length, 5)
    for (const request of target.requests) {
      t.ok(platform.asks(request, QUERY), request.url)
      t.match(JSON.stringify(request.headers), SECRET, 'the credentials are sent')
    }
  })

  t.test(`${type}: a result that is not a number is no value`, async (t) => {
    const { ask, say } = await stage(t)
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      say([[point(value, 0)]])
      t.match(await ask(), none('no_data'), String(value))
      say([[point(value, -1), point(7, 0)]], 'max')
      t.match(await ask('max'), { value: 7 }, `next to ${value}`)
    }
    for (const series of [[], [[]]]) {
      say(series)
      t.match(await ask(), none('no_data'), JSON.stringify(series))
    }
    say([[point(1, 0)], [point(2, 0)]])
    t.match(await ask(), none('several_series'))
  })

  t.test(`${type}: every other response has its kind of fault`, async (t) => {
    const { target, ask } = await stage(t)
    for (const [what, fault, body] of platform.responses) {
      target.respond({ body: JSON.stringify(body) })
      t.match(await ask(), none(fault), what)
    }
    const junk = ['', 'null', '1', '"text"', '[]', '{}', '<html>', '{"status":', `"${SECRET}"`]
    for (const body of junk) {
      target.respond({ body })
      t.match(await ask(), none('bad_answer'), body)
    }
  })

  t.test(`${type}: every status has its fault`, async (t) => {
    const { target, ask } = await stage(t)
    const headers = { location: '/elsewhere' }
    for (const [status, fault] of statuses) {
      target.respond({ status, headers, body: `you sent ${SECRET}` })
      t.match(await ask(), none(fault), String(status))
    }
    t.notOk(
      target.requests.some(({ url }) => url === '/elsewhere'),
      'no redirect is followed',
    )
    const waits: [TargetResponse, number | null][] = [
      [{ status: 429, headers: { 'retry-after': '120' } }, 120_000],
      [{ status: 429, headers: { 'retry-after': '999999' } }, 3_600_000],
      [{ status: 429, headers: { 'retry-after': 'soon' } }, 60_000],
      [{ status: 429 }, 60_000],
      [{ status: 503, headers: { 'retry-after': '5' } }, 5_000],
      [{ status: 503 }, null],
    ]
    for (const [answer, retryAfterMs] of waits) {
      target.respond(answer)
      t.match(await ask(), { value: null, retryAfterMs }, JSON.stringify(answer))
    }
  })

  t.test(`${type}: a failed connection has its kind of fault`, async (t) => {
    const { target, ask } = await stage(t)
    target.respond({ body: Buffer.alloc(TOO_MUCH, ' ') })
    t.match(await ask(), none('too_large'))
    target.respond(() => new Promise(() => {}))
    t.match(await ask('last', { timeoutMs: HANGING_MS }), none('timeout'))
    target.respond((_request, response) => {
      response.destroy()
      return undefined
    })
    t.match(await ask(), none('protocol_error'))
    await target.close()
    t.match(await ask(), none('connect_error'))
    const plain = await tcpTarget(t, (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'))
    t.match(await ask('last', { origin: `https://127.0.0.1:${plain.port}` }), none('tls_error'))
    t.match(
      await ask('last', { origin: `http://127.0.0.1:${plain.port}` }),
      none('blocked'),
      'https alone',
    )
  })

  t.test(`${type}: a private address is not connected to`, async (t) => {
    const { target, ask, test } = await stage(t, [])
    t.match(await ask(), none('blocked'))
    t.match(await test(), { fault: 'blocked' })
    t.equal(target.requests.length, 0)
  })

  t.test(`${type}: a test verifies the credentials`, async (t) => {
    const { target, test } = await stage(t)
    target.respond({ body: JSON.stringify(platform.trial) })
    t.match(await test(), { fault: null })
    for (const [status, fault] of [
      [401, 'auth_failed'],
      [403, 'auth_failed'],
      [404, 'bad_answer'],
      [500, 'bad_answer'],
    ] as const) {
      target.respond({ status, body: SECRET })
      t.match(await test(), { fault }, String(status))
    }
    target.respond({ body: '{}' })
    t.match(await test(), { fault: 'bad_answer' })
  })
}

const NOW_MS = Date.parse('2026-08-01T09:30:00.000Z')
const MINUTE_MS = 60_000

/** Point some minutes from now. */
const point = (value: number, minutes: number): Point => ({
  atMs: NOW_MS + minutes * MINUTE_MS,
  value,
})

const none = (fault: MetricFault): Partial<QueryResult> => ({ value: null, fault })

const statuses: readonly [number, MetricFault][] = [
  ...([301, 302, 307, 308, 404, 405, 410, 418, 500, 502, 503] as const).map(
    (status): [number, MetricFault] => [status, 'bad_answer'],
  ),
  [400, 'query_error'],
  [422, 'query_error'],
  [401, 'auth_failed'],
  [403, 'auth_failed'],
  [408, 'timeout'],
  [429, 'rate_limited'],
  [504, 'timeout'],
]
