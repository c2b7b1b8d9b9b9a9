/** Table of result runs against thresholds. */

import type { CheckStatus, DerivedStatus, ProbeResult } from '@status-page/contracts'
import { noTimings } from '@status-page/probes'
import fc from 'fast-check'
import t from 'tap'
import {
  countSuppressed,
  deriveStatus,
  initialState,
  monitorEventOf,
  type TargetState,
} from './rules.ts'

const START = Date.parse('2026-08-01T09:00:00.000Z')
const MINUTE = 60_000
const letters: Record<string, CheckStatus> = {
  S: 'SUCCESS',
  D: 'DEGRADED',
  F: 'FAILURE',
  T: 'TIMEOUT',
  E: 'ERROR',
}

/**
 * Applies one result per minute; returns each change as `status@minute of the change<minute of its
 * start`.
 */
const play = (results: string, failureThreshold: number, recoveryThreshold: number) => {
  let state: TargetState = initialState
  const changes: string[] = []
  for (const [minute, letter] of [...results].entries()) {
    const status = letters[letter] ?? 'SUCCESS'
    const result = { status, checkedAtMs: START + minute * MINUTE }
    const evaluated = deriveStatus(state, result, { failureThreshold, recoveryThreshold })
    state = evaluated.state
    if (evaluated.changedSince === null) continue
    const since = (Date.parse(evaluated.changedSince) - START) / MINUTE
    changes.push(`${short[state.derivedStatus]}@${minute}<${since}`)
  }
  return changes.join(' ')
}

const short: Record<DerivedStatus, string> = {
  operational: 'up',
  degraded_performance: 'slow',
  major_outage: 'down',
}

t.test(
  'each change occurs at its threshold and is backdated to the first result of its run',
  async (t) => {
    const table: [results: string, thresholds: [number, number], changes: string][] = [
      ['SSSSS', [3, 2], ''],
      ['FF', [3, 2], ''],
      ['FFF', [3, 2], 'down@2<0'],
      ['FTE', [3, 2], 'down@2<0'],
      ['FFSFFS', [3, 2], ''],
      ['SFFF', [3, 2], 'down@3<1'],
      ['F', [1, 1], 'down@0<0'],
      ['DDD', [3, 2], 'slow@2<0'],
      ['DFD', [3, 2], 'slow@2<0'],
      ['DDFF', [3, 2], 'slow@2<0'],
      ['DDFFF', [3, 2], 'slow@2<0 down@4<2'],
      ['DDDFFF', [3, 2], 'slow@2<0 down@5<3'],
      ['DFFF', [3, 2], 'slow@2<0 down@3<1'],
      ['FFFFFF', [3, 2], 'down@2<0'],
      ['FFFSS', [3, 2], 'down@2<0 up@4<3'],
      ['FFFSFSS', [3, 2], 'down@2<0 up@6<5'],
      ['FFFDD', [3, 2], 'down@2<0 slow@4<3'],
      ['FFFDFDD', [3, 2], 'down@2<0 slow@6<5'],
      ['FFFDFD', [3, 2], 'down@2<0'],
      ['FFFDDSS', [3, 2], 'down@2<0 slow@4<3 up@6<5'],
      ['FFFDDFFF', [3, 2], 'down@2<0 slow@4<3 down@7<5'],
      ['DDDSS', [3, 2], 'slow@2<0 up@4<3'],
      ['DDDSDSS', [3, 2], 'slow@2<0 up@6<5'],
      ['FFFSSFFF', [3, 2], 'down@2<0 up@4<3 down@7<5'],
      ['FS', [1, 1], 'down@0<0 up@1<1'],
      ['FD', [1, 1], 'down@0<0 slow@1<1'],
    ]
    for (const [results, [failure, recovery], changes] of table) {
      t.equal(play(results, failure, recovery), changes, `${results} at ${failure} and ${recovery}`)
    }
  },
)

t.test('a healthy target does not change its state and writes no rows', async (t) => {
  const thresholds = { failureThreshold: 3, recoveryThreshold: 2 }
  let { state } = deriveStatus(initialState, { status: 'SUCCESS', checkedAtMs: START }, thresholds)
  state = deriveStatus(state, { status: 'SUCCESS', checkedAtMs: START + MINUTE }, thresholds).state
  const third = deriveStatus(
    state,
    { status: 'SUCCESS', checkedAtMs: START + 2 * MINUTE },
    thresholds,
  )
  t.equal(third.state, state)
})

t.test(
  'for any results, changes alternate between statuses and are dated in the past',
  async () => {
    const results = fc.string({ unit: fc.constantFrom(...Object.keys(letters)), maxLength: 80 })
    const threshold = fc.integer({ min: 1, max: 20 })
    fc.assert(
      fc.property(results, threshold, threshold, (text, failure, recovery) => {
        const changes = play(text, failure, recovery).split(' ').filter(Boolean)
        const statuses = changes.map((change) => change.split('@')[0])
        return statuses.every((status, index) => status !== (statuses[index - 1] ?? 'up'))
      }),
    )
  },
)

const result = (given: Partial<ProbeResult>): ProbeResult => ({
  status: 'FAILURE',
  statusCode: 503,
  responseMs: 87,
  error: null,
  conditionResults: [],
  checkedAtMs: START,
  timings: noTimings,
  certificateExpiresAt: null,
  ...given,
})

t.test('the event contains the status, its start and a readable reason', async (t) => {
  const target = { componentId: 'c1', name: 'API', timeoutMs: 5000 }
  const changedSince = new Date(START).toISOString()
  const fact = (derivedStatus: DerivedStatus, given: Partial<ProbeResult>) =>
    monitorEventOf(
      target,
      { derivedStatus, since: changedSince, version: 4, isFlapping: false },
      result(given),
    )
  t.same(fact('major_outage', {}), {
    kind: 'monitor.down',
    aggregate: { type: 'monitor', id: 'c1', version: 4 },
    data: {
      monitor: {
        componentId: 'c1',
        name: 'API',
        derivedStatus: 'major_outage',
        since: changedSince,
        reason: 'HTTP 503',
        isFlapping: false,
      },
    },
  })
  const reasonOf = (given: Partial<ProbeResult>) => {
    const { data } = fact('degraded_performance', given)
    return (data as { monitor: { reason: string } }).monitor.reason
  }
  t.equal(fact('degraded_performance', {}).kind, 'monitor.degraded')
  t.match(fact('operational', {}), {
    kind: 'monitor.recovered',
    data: { monitor: { reason: null } },
  })
  t.equal(reasonOf({ error: 'timeout' }), 'timed out after 5000 ms')
  t.equal(reasonOf({ error: 'dns_error' }), 'the host name did not resolve')
  const untrusted = { error: 'tls_error', certificateFault: 'untrusted' } as const
  t.equal(reasonOf(untrusted), 'the certificate is not from a trusted authority')
  const failed = (type: 'RESPONSE_TIME' | 'JSON_PATH') => ({
    statusCode: 200,
    conditionResults: [
      { type, comparator: 'EQUALS', target: '$.a = secret', actual: '2', passed: false } as const,
    ],
  })
  t.equal(reasonOf(failed('RESPONSE_TIME')), 'responded in 87 ms')
  t.equal(reasonOf(failed('JSON_PATH')), 'condition JSON_PATH EQUALS was not met')
})

t.test(
  'during a suppression runs are counted, and the first result afterwards decides',
  async (t) => {
    const end = 10_000
    const thresholds = { failureThreshold: 3, recoveryThreshold: 2 }
    const found = (status: CheckStatus, checkedAtMs: number) => ({ status, checkedAtMs })
    let state: TargetState = initialState
    for (let at = 1000; at < end; at += 1000) {
      const evaluation = countSuppressed(state, found('FAILURE', at), thresholds)
      t.equal(evaluation.changedSince, null)
      state = evaluation.state
    }
    t.match(state, {
      derivedStatus: 'operational',
      runs: { failing: [9, new Date(1000).toISOString()] },
    })
    const after = deriveStatus(state, found('FAILURE', end), thresholds)
    t.equal(after.state.derivedStatus, 'major_outage')
    t.equal(after.changedSince, new Date(1000).toISOString())
    t.equal(
      deriveStatus(state, found('SUCCESS', end), thresholds).changedSince,
      null,
      'it recovered in the meantime',
    )
  },
)
