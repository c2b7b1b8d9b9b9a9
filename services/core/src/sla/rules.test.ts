/** Status of a service level, and the events of its changes. */
import type { NewSla, SlaStatus } from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import t from 'tap'
import {
  applyEvaluation,
  createSla,
  downtimeBudgetMs,
  evaluateWindow,
  uptimePercentageOf,
} from './rules.ts'
import { missedTargets, presentSlaIncident, type SlaIncidentTimes } from './targets.ts'

const DAY_MS = 86_400_000
const NOW = new Date('2026-08-11T00:00:00.000Z')
const component = newId()

const sla = (more: object = {}) =>
  createSla(
    {
      id: newId(),
      organizationId: newId(),
      managedByConfig: false,
      body: { name: 'API', componentIds: [component], targetPercentage: 99.9, ...more } as NewSla,
    },
    new Set([component]),
    NOW,
  )

const figures = (countedMs: number, downtimeMs: number, excludedMs = 0) => {
  const since = NOW.getTime() - countedMs - excludedMs
  return { countedMs, downtimeMs, excludedMs, since }
}
const month = { from: NOW.getTime() - 30 * DAY_MS, to: NOW.getTime() }

t.test('half of the thirty-day budget spent is the example of the contract', async (t) => {
  t.same(evaluateWindow(figures(30 * DAY_MS, 1_296_000), sla(), month, NOW), {
    since: new Date(month.from).toISOString(),
    percentage: 99.95,
    budgetTotalSeconds: 2592,
    budgetRemainingSeconds: 1296,
    burnRate: 0.5,
    status: 'healthy',
    evaluatedAt: NOW.toISOString(),
  })
})

const standings: [downtimeSeconds: number, SlaStatus][] = [
  [0, 'healthy'],
  [2073, 'healthy'],
  [2074, 'at_risk'],
  [2592, 'at_risk'],
  [2593, 'breached'],
]

for (const [seconds, status] of standings) {
  t.test(`${seconds} of 2592 s spent is ${status}`, async (t) => {
    t.equal(evaluateWindow(figures(30 * DAY_MS, seconds * 1_000), sla(), month, NOW).status, status)
  })
}

t.test('a calendar window has its whole budget and burns by the elapsed time', async (t) => {
  const window = { from: NOW.getTime() - 10 * DAY_MS, to: NOW.getTime() + 20 * DAY_MS }
  const current = evaluateWindow(figures(10 * DAY_MS, 864_000), sla(), window, NOW)
  t.match(current, { budgetTotalSeconds: 2592, budgetRemainingSeconds: 1728, burnRate: 1 })
  t.equal(current.percentage, 99.9)
})

t.test('an exceeded budget is negative', async (t) => {
  const current = evaluateWindow(figures(30 * DAY_MS, 3_592_000), sla(), month, NOW)
  t.match(current, { budgetRemainingSeconds: -1000, status: 'breached' })
})

t.test('a new service level computes its budget over the whole window', async (t) => {
  const hour = 3_600_000
  const current = evaluateWindow(figures(hour, 3_000), sla(), month, NOW)
  t.match(current, { budgetTotalSeconds: 2592, budgetRemainingSeconds: 2589, status: 'healthy' })
  t.equal(current.percentage, 99.9166, 'of the hour with data')
  t.equal(current.since, new Date(NOW.getTime() - hour).toISOString())
  t.equal(current.burnRate, 0.001)
})

t.test('excluded time reduces the budget', async (t) => {
  const current = evaluateWindow(figures(20 * DAY_MS, 0, 10 * DAY_MS), sla(), month, NOW)
  t.equal(current.budgetTotalSeconds, 1728)
})

t.test('a window too short for a budget is healthy without downtime', async (t) => {
  const strict = sla({ targetPercentage: 99.9999 })
  const window = { from: NOW.getTime() - 100, to: NOW.getTime() }
  t.match(evaluateWindow(figures(100, 0), strict, window, NOW), {
    budgetTotalSeconds: 0,
    burnRate: 0,
    status: 'healthy',
  })
  t.equal(evaluateWindow(figures(100, 1), strict, window, NOW).status, 'breached')
})

t.test('without data, or disabled, there are no values', async (t) => {
  const empty = { percentage: null, since: null, budgetTotalSeconds: null, burnRate: null }
  t.match(evaluateWindow(figures(0, 0), sla(), month, NOW), { ...empty, status: 'no_data' })
  const disabled = sla({ isEnabled: false })
  t.match(evaluateWindow(figures(1_000, 0), disabled, month, NOW), { ...empty, status: 'paused' })
})

t.test('percentages are rounded down to four decimals, and exact on long windows', async (t) => {
  const year = 366 * DAY_MS
  t.equal(uptimePercentageOf(figures(year, 1)), 99.9999)
  t.equal(uptimePercentageOf(figures(year, 0)), 100)
  t.equal(uptimePercentageOf(figures(3, 1)), 66.6666)
  t.equal(uptimePercentageOf(figures(year, year)), 0)
})

t.test('a budget is in whole milliseconds, whatever the binary form of its target', async (t) => {
  const target = (targetPercentage: number) => ({ targetPercentage, atRiskThreshold: 20 })
  t.equal(downtimeBudgetMs(30 * DAY_MS, target(99.9)), 2_592_000)
  t.equal(downtimeBudgetMs(30 * DAY_MS, target(99.99)), 259_200)
  t.equal(downtimeBudgetMs(30 * DAY_MS, target(99.95)), 1_296_000)
})

const crossings: [SlaStatus, SlaStatus, string | null][] = [
  ['no_data', 'healthy', null],
  ['no_data', 'breached', 'sla.breached'],
  ['healthy', 'healthy', null],
  ['healthy', 'at_risk', 'sla.at-risk'],
  ['at_risk', 'at_risk', null],
  ['at_risk', 'breached', 'sla.breached'],
  ['healthy', 'breached', 'sla.breached'],
  ['breached', 'breached', null],
  ['breached', 'at_risk', 'sla.recovered'],
  ['breached', 'healthy', 'sla.recovered'],
  ['at_risk', 'healthy', 'sla.recovered'],
  ['breached', 'no_data', null],
  ['breached', 'paused', null],
  ['paused', 'breached', 'sla.breached'],
]

for (const [before, after, kind] of crossings) {
  t.test(`from ${before} to ${after}: ${kind ?? 'no event'}`, async (t) => {
    const row = { ...sla(), status: before }
    const outcome = applyEvaluation(row, { ...row.current, status: after }, NOW)
    t.same(
      outcome.events.map((event) => event.kind),
      kind === null ? [] : [kind],
    )
    t.equal(outcome.row.version, kind === null ? 1 : 2)
    t.equal(outcome.events[0]?.aggregate.version ?? outcome.row.version, outcome.row.version)
  })
}

const incident = (more: Partial<SlaIncidentTimes> = {}): SlaIncidentTimes => ({
  id: newId(),
  title: 'Down',
  impact: 'major',
  startedAt: NOW,
  resolvedAt: null,
  respondedAt: null,
  ...more,
})
const after = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000)
const targets = { responseTargetMinutes: 15, resolutionTargetMinutes: 60 }

const misses: [name: string, Partial<SlaIncidentTimes>, now: number, string[]][] = [
  ['not late yet', {}, 15, []],
  ['no response in time', {}, 16, ['response']],
  ['responded in time', { respondedAt: after(15) }, 59, []],
  ['responded too late', { respondedAt: after(16) }, 20, ['response']],
  ['not resolved in time', { respondedAt: after(1) }, 61, ['resolution']],
  ['resolved in time', { respondedAt: after(1), resolvedAt: after(60) }, 900, []],
  ['resolved too late', { respondedAt: after(1), resolvedAt: after(61) }, 900, ['resolution']],
  ['resolved by itself in time', { resolvedAt: after(10) }, 900, []],
  ['dated after its first word', { respondedAt: after(-5), resolvedAt: after(5) }, 900, []],
]

for (const [name, more, now, expected] of misses) {
  t.test(`targets of an incident: ${name}`, async (t) => {
    const kinds = missedTargets(targets, incident(more), after(now)).map(({ kind }) => kind)
    t.same(kinds, expected)
    const none = { responseTargetMinutes: null, resolutionTargetMinutes: null }
    t.same(missedTargets(none, incident(more), after(now)), [])
    t.match(presentSlaIncident(targets, incident(more), after(now)), {
      responseBreached: expected.includes('response'),
      resolutionBreached: expected.includes('resolution'),
    })
  })
}
