/** Precedence of status claims, as a table and against a model that replays all writes. */
import type { ComponentStatus, DerivedStatus } from '@status-page/contracts'
import fc from 'fast-check'
import t from 'tap'
import {
  endIncidentClaim,
  endIncidentClaimAsOperational,
  endMaintenanceClaim,
  initialClaims,
  type StatusClaim,
  type StatusClaims,
  setIncidentClaim,
  setMaintenanceClaim,
  setManualClaim,
  setMonitorClaim,
  winningClaim,
} from './status.ts'

const time = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second))

const claim = (
  source: StatusClaim['source'],
  status: ComponentStatus,
  second: number,
  claimantId: string | null = null,
): StatusClaim => ({ source, status, claimantId, at: time(second).toISOString() })

const cases: [
  name: string,
  claims: StatusClaims,
  shown: [StatusClaim['source'], ComponentStatus],
][] = [
  ['manual alone', [claim('manual', 'partial_outage', 1)], ['manual', 'partial_outage']],
  ['config counts as manual', [claim('config', 'operational', 1)], ['config', 'operational']],
  [
    'a newer incident outranks manual',
    [claim('manual', 'operational', 1), claim('incident', 'major_outage', 2, 'i1')],
    ['incident', 'major_outage'],
  ],
  [
    'a newer manual value outranks an incident',
    [claim('manual', 'operational', 3), claim('incident', 'major_outage', 2, 'i1')],
    ['manual', 'operational'],
  ],
  [
    'the newest of two incidents shows',
    [
      claim('manual', 'operational', 1),
      claim('incident', 'major_outage', 2, 'i1'),
      claim('incident', 'degraded_performance', 3, 'i2'),
    ],
    ['incident', 'degraded_performance'],
  ],
  [
    'an incident outranks a newer maintenance',
    [
      claim('manual', 'operational', 1),
      claim('incident', 'major_outage', 2, 'i1'),
      claim('maintenance', 'under_maintenance', 3, 'm1'),
    ],
    ['incident', 'major_outage'],
  ],
  [
    'a maintenance outranks a newer monitor',
    [
      claim('manual', 'operational', 1),
      claim('maintenance', 'under_maintenance', 2, 'm1'),
      claim('monitor', 'major_outage', 3),
    ],
    ['maintenance', 'under_maintenance'],
  ],
  [
    'a value set by hand during a maintenance shows',
    [
      claim('manual', 'operational', 3),
      claim('maintenance', 'under_maintenance', 2, 'm1'),
      claim('monitor', 'major_outage', 1),
    ],
    ['manual', 'operational'],
  ],
  [
    'a newer monitor outranks manual',
    [claim('manual', 'operational', 1), claim('monitor', 'major_outage', 2)],
    ['monitor', 'major_outage'],
  ],
  [
    'an incident older than the manual value leaves the monitor to show',
    [
      claim('manual', 'operational', 2),
      claim('incident', 'partial_outage', 1, 'i1'),
      claim('monitor', 'major_outage', 3),
    ],
    ['monitor', 'major_outage'],
  ],
]

for (const [name, claims, [source, status]] of cases) {
  t.test(name, async (t) => t.match(winningClaim(claims), { source, status }))
}

t.test(
  'an incident with the component status operational ends its claim and sets the manual value',
  async (t) => {
    const open = setIncidentClaim(
      initialClaims('degraded_performance', 'manual', time(0)),
      { incidentId: 'i1', status: 'major_outage' },
      time(1),
    )
    const ended = setIncidentClaim(open, { incidentId: 'i1', status: 'operational' }, time(2))
    t.same(ended, [claim('manual', 'operational', 2)])
  },
)

t.test('resolving without component statuses leaves the time of the manual claim', async (t) => {
  const failing = setMonitorClaim(
    initialClaims('partial_outage', 'config', time(0)),
    'major_outage',
    time(1),
  )
  const open = setIncidentClaim(failing, { incidentId: 'i1', status: 'partial_outage' }, time(2))
  const settled = endIncidentClaimAsOperational(open, 'i1')
  t.same(settled[0], claim('config', 'operational', 0))
  t.match(winningClaim(settled), { source: 'monitor', status: 'major_outage' })
})

t.test(
  'of two claims in the same millisecond the one written later takes precedence',
  async (t) => {
    const now = time(0)
    const first = initialClaims('operational', 'manual', now)
    const open = setIncidentClaim(first, { incidentId: 'i1', status: 'major_outage' }, now)
    t.equal(winningClaim(open).status, 'major_outage')
    t.equal(winningClaim(setManualClaim(open, 'operational', now)).source, 'manual')
  },
)

/** Write to a component; the clock may stand still or go back. */
type Step =
  | { kind: 'hand'; status: ComponentStatus }
  | { kind: 'incident'; id: string; status: ComponentStatus }
  | { kind: 'end' | 'settle'; id: string }
  | { kind: 'monitor'; status: DerivedStatus }

const statuses = fc.constantFrom<ComponentStatus>(
  'operational',
  'degraded_performance',
  'partial_outage',
  'major_outage',
)
const ids = fc.constantFrom('i1', 'i2', 'i3')
const steps = fc.oneof<fc.Arbitrary<Step>[]>(
  fc.record({ kind: fc.constant('hand' as const), status: statuses }),
  fc.record({ kind: fc.constant('incident' as const), id: ids, status: statuses }),
  fc.record({ kind: fc.constantFrom('end' as const, 'settle' as const), id: ids }),
  fc.record({
    kind: fc.constant('monitor' as const),
    status: fc.constantFrom<DerivedStatus>('operational', 'degraded_performance', 'major_outage'),
  }),
)

const apply = (claims: StatusClaims, step: Step, now: Date): StatusClaims => {
  switch (step.kind) {
    case 'hand':
      return setManualClaim(claims, step.status, now)
    case 'incident':
      return setIncidentClaim(claims, { incidentId: step.id, status: step.status }, now)
    case 'end':
      return endIncidentClaim(claims, step.id)
    case 'settle':
      return endIncidentClaimAsOperational(claims, step.id)
    case 'monitor':
      return setMonitorClaim(claims, step.status, now)
  }
}

/** Precedence as defined in `status.ts`, with the number of the step as the time. */
const model = (history: readonly Step[]) => {
  let manual = { status: 'operational' as ComponentStatus, at: 0 }
  let monitor: { status: ComponentStatus; at: number } | null = null
  const incidents = new Map<string, { status: ComponentStatus; at: number }>()
  history.forEach((step, index) => {
    const at = index + 1
    if (step.kind === 'hand') manual = { status: step.status, at }
    else if (step.kind === 'monitor') {
      monitor = step.status === 'operational' ? null : { status: step.status, at }
    } else if (step.kind === 'incident') {
      if (step.status === 'operational') {
        incidents.delete(step.id)
        manual = { status: 'operational', at }
      } else incidents.set(step.id, { status: step.status, at })
    } else {
      incidents.delete(step.id)
      if (step.kind === 'settle') manual = { ...manual, status: 'operational' }
    }
  })
  const [newest] = [...incidents.values()].sort((left, right) => right.at - left.at)
  if (newest !== undefined && newest.at > manual.at) return ['incident', newest.status]
  const failing = monitor as { status: ComponentStatus; at: number } | null
  if (failing !== null && failing.at > manual.at) return ['monitor', failing.status]
  return ['manual', manual.status]
}

t.test('the derived status is the deciding claim, whatever the write order and clock', async () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(steps, fc.integer({ min: -5, max: 5 })), { maxLength: 30 }),
      (life) => {
        const claims = life.reduce(
          (before, [step, second]) => apply(before, step, time(second)),
          initialClaims('operational', 'manual', time(0)),
        )
        const { source, status } = winningClaim(claims)
        const expected = model(life.map(([step]) => step))
        if (source !== expected[0] || status !== expected[1]) {
          throw new Error(`${source} ${status}, not ${expected.join(' ')}`)
        }
      },
    ),
    { numRuns: 500 },
  )
})

t.test('each active maintenance has one claim, which retains its time', async (t) => {
  const first = setMaintenanceClaim(initialClaims('operational', 'manual', time(1)), 'm1', time(2))
  t.same(setMaintenanceClaim(first, 'm1', time(3)), first)
  const both = setMaintenanceClaim(first, 'm2', time(3))
  t.equal(winningClaim(both).claimantId, 'm2')
  const rest = endMaintenanceClaim(both, { maintenanceId: 'm2', restoreOnComplete: true })
  t.match(winningClaim(rest), { claimantId: 'm1', status: 'under_maintenance' })
})

t.test(
  'a maintenance that does not restore the status sets the manual value and hides no claim',
  async (t) => {
    const end = { maintenanceId: 'm1', restoreOnComplete: false }
    const claims = setMaintenanceClaim(
      initialClaims('operational', 'manual', time(1)),
      'm1',
      time(2),
    )
    t.match(endMaintenanceClaim(claims, end), [claim('manual', 'under_maintenance', 1)])
    const failing = setMonitorClaim(claims, 'major_outage', time(3))
    t.equal(winningClaim(endMaintenanceClaim(failing, end)).source, 'monitor')
    const other = setIncidentClaim(claims, { incidentId: 'i1', status: 'partial_outage' }, time(3))
    t.equal(winningClaim(endMaintenanceClaim(other, end)).source, 'incident')
    const never = initialClaims('operational', 'manual', time(1))
    t.same(endMaintenanceClaim(never, end), never)
  },
)
