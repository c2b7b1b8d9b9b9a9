/** State of a heartbeat: which time a ping counts for, runs, and missed times. */
import t from 'tap'
import {
  applyMissed,
  applyPing,
  dueTimeOf,
  type HeartbeatSettings,
  type HeartbeatState,
  type Ping,
} from './transitions.ts'

const at = (time: string): number => Date.parse(`2026-08-01T${time}.000Z`)

const settings = (given: Partial<HeartbeatSettings> = {}): HeartbeatSettings => ({
  kind: 'heartbeat',
  schedule: null,
  periodSeconds: 60,
  startGraceSeconds: 30,
  maxRunSeconds: null,
  minRunSeconds: null,
  ...given,
})

const hourly = settings({
  schedule: { cron: '0 * * * *', timezone: 'UTC' },
  periodSeconds: null,
  startGraceSeconds: 600,
})

const empty: HeartbeatState = { expectedMs: null, runs: [] }

const ping = (atMs: number, given: Partial<Ping> = {}): Ping => ({
  kind: 'ping',
  run: null,
  atMs,
  ...given,
})

t.test('nothing is due before the first ping', async (t) => {
  t.equal(dueTimeOf(empty, hourly), null)
  t.same(applyMissed(empty, hourly, at('10:00:00')), { state: empty, results: [] })
})

t.test('a period begins with each ping', async (t) => {
  const { state, results } = applyPing(empty, settings(), ping(at('10:00:00')))
  t.same(results, [{ atMs: at('10:00:00'), error: null }])
  t.equal(state.expectedMs, at('10:01:00'))
  t.equal(dueTimeOf(state, settings()), at('10:01:30'))
  const early = applyPing(state, settings(), ping(at('10:00:10')))
  t.equal(early.state.expectedMs, at('10:01:10'))
})

t.test('a missed ping is one result, and the next one is expected in its rhythm', async (t) => {
  const state = { expectedMs: at('10:01:00'), runs: [] }
  t.same(applyMissed(state, settings(), at('10:01:29')).results, [])
  t.same(applyMissed(state, settings(), at('10:01:30')), {
    state: { expectedMs: at('10:02:00'), runs: [] },
    results: [{ atMs: at('10:01:30'), error: 'heartbeat_missed' }],
  })
  const later = applyMissed(state, settings(), at('11:00:00'))
  t.equal(later.results.length, 1, 'after a long stop too')
  t.equal(later.state.expectedMs, at('11:00:00'), 'its grace is not over')
  const cron = applyMissed({ expectedMs: at('10:00:00'), runs: [] }, hourly, at('13:05:00'))
  t.same(cron.results, [{ atMs: at('10:10:00'), error: 'heartbeat_missed' }])
  t.equal(cron.state.expectedMs, at('13:00:00'))
})

t.test('a ping counts for the time of a schedule that is nearest to it', async (t) => {
  const table = [
    ['first, shortly after 10:00', null, '10:20:00', '11:00:00'],
    ['first, shortly before 11:00', null, '10:50:00', '12:00:00'],
    ['on time', '10:00:00', '10:00:00', '11:00:00'],
    ['within its grace', '10:00:00', '10:09:59', '11:00:00'],
    ['early', '11:00:00', '10:58:00', '12:00:00'],
    ['a second one after 10:00', '11:00:00', '10:20:00', '11:00:00'],
    ['a second one after an early one', '12:00:00', '11:05:00', '12:00:00'],
  ] as const
  for (const [name, expected, pinged, next] of table) {
    const state = { expectedMs: expected === null ? null : at(expected), runs: [] }
    const { state: after, results } = applyPing(state, hourly, ping(at(pinged)))
    t.equal(after.expectedMs, at(next), name)
    t.same(results, [{ atMs: at(pinged), error: null }], name)
  }
})

t.test('a ping after a missed time has both results, in their order', async (t) => {
  const state = { expectedMs: at('10:00:00'), runs: [] }
  const { state: after, results } = applyPing(state, hourly, ping(at('10:20:00')))
  t.same(results, [
    { atMs: at('10:10:00'), error: 'heartbeat_missed' },
    { atMs: at('10:20:00'), error: null },
  ])
  t.equal(after.expectedMs, at('11:00:00'))
})

t.test('the start of a run counts for its time, its end has the result', async (t) => {
  const limits = { ...hourly, minRunSeconds: 60, maxRunSeconds: 3600 }
  const started = applyPing(empty, limits, ping(at('10:00:05'), { kind: 'start' }))
  t.same(started.results, [])
  t.equal(started.state.expectedMs, at('11:00:00'))
  t.equal(dueTimeOf(started.state, limits), at('11:00:05'), 'the run ends by then')
  const end = (time: string, kind: Ping['kind'] = 'finish') =>
    applyPing(started.state, limits, ping(at(time), { kind }))
  t.match(end('10:40:05'), { durationMs: 2_400_000, results: [{ error: null }] })
  t.equal(end('10:40:05').state.expectedMs, at('11:00:00'), 'the end counts for no other time')
  t.match(end('10:00:30').results, [{ error: 'run_too_short' }])
  t.match(end('10:40:05', 'fail').results, [{ error: 'run_failed' }])
  t.same(end('10:40:05', 'fail').state.runs, [])
  const long = applyMissed(started.state, limits, at('11:00:05'))
  t.same(long.results, [{ atMs: at('11:00:05'), error: 'run_too_long' }])
  t.same(long.state.runs, [])
})

t.test('runs with different names overlap; alive extends one of them', async (t) => {
  const limits = settings({ periodSeconds: 86_400, maxRunSeconds: 60 })
  const signals: Ping[] = [
    ping(at('10:00:00'), { kind: 'start', run: 'a' }),
    ping(at('10:00:30'), { kind: 'start', run: 'b' }),
    ping(at('10:00:50'), { kind: 'alive', run: 'a' }),
    ping(at('10:01:00'), { kind: 'finish', run: 'b' }),
  ]
  let state = empty
  for (const signal of signals) state = applyPing(state, limits, signal).state
  t.same(state.runs, [{ run: 'a', startedMs: at('10:00:00'), deadlineMs: at('10:01:50') }])
  t.same(applyMissed(state, limits, at('10:01:49')).results, [])
  t.match(applyMissed(state, limits, at('10:01:50')).results, [{ error: 'run_too_long' }])
})

t.test('the oldest of too many open runs is dropped', async (t) => {
  let state = empty
  for (let run = 0; run < 30; run += 1) {
    const signal = ping(at('10:00:00') + run, { kind: 'start', run: String(run) })
    state = applyPing(state, settings(), signal).state
  }
  t.equal(state.runs.length, 20)
  t.equal(state.runs[0]?.run, '10')
})

t.test('the hour that a change to daylight-saving time skips is not missed', async (t) => {
  for (const [timezone, before, skipped] of [
    ['Europe/Berlin', '2026-03-28T01:30:00.000Z', '2026-03-29T01:00:00.000Z'],
    ['America/New_York', '2026-03-07T07:30:00.000Z', '2026-03-08T07:00:00.000Z'],
  ] as const) {
    const nightly = { ...hourly, schedule: { cron: '30 2 * * *', timezone } }
    const { state } = applyPing(empty, nightly, ping(Date.parse(before)))
    t.equal(new Date(state.expectedMs ?? 0).toISOString(), skipped, timezone)
    const after = applyPing(state, nightly, ping(Date.parse(skipped) + 5_000))
    t.match(after.results, [{ error: null }])
    t.ok((after.state.expectedMs ?? 0) - Date.parse(skipped) > 23 * 3_600_000)
  }
})

t.test('the hour that the change back repeats is expected once', async (t) => {
  for (const [timezone, cron, before, first, next] of [
    [
      'Europe/Berlin',
      '30 2 * * *',
      '2026-10-24T00:30:00.000Z',
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
    ],
    [
      'America/New_York',
      '30 1 * * *',
      '2026-10-31T05:30:00.000Z',
      '2026-11-01T05:30:00.000Z',
      '2026-11-02T06:30:00.000Z',
    ],
  ] as const) {
    const nightly = { ...hourly, schedule: { cron, timezone } }
    let { state } = applyPing(empty, nightly, ping(Date.parse(before)))
    t.equal(new Date(state.expectedMs ?? 0).toISOString(), first, timezone)
    state = applyPing(state, nightly, ping(state.expectedMs ?? 0)).state
    t.equal(new Date(state.expectedMs ?? 0).toISOString(), next, timezone)
  }
})
