/**
 * Rules of incidents, as tables: the event of each update, and its effect on component statuses.
 */
import type { IncidentStatus } from '@status-page/contracts'
import t from 'tap'
import { initialClaims, winningClaim } from '../components/status.ts'
import type { ComponentRow, IncidentComponentRow, IncidentRow } from '../tables.ts'
import {
  checkVersion,
  editIncident,
  incidentSourceOf,
  type NewUpdate,
  openIncident,
} from './rules.ts'

const start = new Date('2026-08-01T09:00:00.000Z')
const now = new Date('2026-08-01T10:00:00.000Z')

const component = {
  id: 'c1',
  name: 'API',
  status: 'operational',
  claims: initialClaims('operational', 'manual', start),
} as ComponentRow
const live = new Map([[component.id, component]])

const opened = (status: IncidentStatus = 'investigating') =>
  openIncident(
    {
      id: 'i1',
      updateId: 'u1',
      organizationId: 'o1',
      title: 'x',
      status,
      impact: 'minor',
      message: 'm',
      componentIds: [],
      componentStatuses: { c1: 'major_outage' },
      startedAt: start,
      source: 'api',
      triggerComponentId: null,
      nextUpdateAt: null,
    },
    live,
    start,
  )

const update = (more: Partial<NewUpdate>): NewUpdate => ({
  id: 'u2',
  status: null,
  message: '',
  componentStatuses: {},
  byPerson: true,
  ...more,
})

const state = (incident: IncidentRow, components: IncidentComponentRow[], updateCount = 1) => ({
  incident,
  components,
  updateCount,
})

const verbs: [from: IncidentStatus, to: IncidentStatus, verb: string][] = [
  ['investigating', 'resolved', 'resolved'],
  ['resolved', 'investigating', 'reopened'],
  ['resolved', 'monitoring', 'reopened'],
  ['resolved', 'resolved', 'updated'],
  ['monitoring', 'investigating', 'updated'],
  ['identified', 'identified', 'updated'],
]

for (const [from, to, verb] of verbs) {
  t.test(`${from} to ${to} is ${verb}`, async (t) => {
    const { incident, components } = opened(from)
    const edit = { update: update({ status: to }), isAlwaysStored: true }
    const decision = editIncident(state(incident, components), edit, live, now)
    t.equal(decision.verb, verb)
    t.equal(decision.incident.version, 2)
    const { resolvedAt, reopenCount } = decision.incident
    const resolved = from === 'resolved' ? start : now
    t.same(resolvedAt, to === 'resolved' ? resolved : null)
    t.equal(reopenCount, verb === 'reopened' ? 1 : 0)
  })
}

t.test('an open incident claims statuses, one opened as resolved sets manual values', async (t) => {
  t.match(winningClaim(opened().claims.get('c1') ?? []), { source: 'incident' })
  t.match(winningClaim(opened('resolved').claims.get('c1') ?? []), { source: 'manual' })
})

t.test('a PATCH without changes has no effect, a posted update always has', async (t) => {
  const { incident, components } = opened()
  const patch = (isAlwaysStored: boolean, said: object = { status: 'investigating' }) => {
    const edit = { title: 'x', update: update(said), isAlwaysStored }
    return editIncident(state(incident, components), edit, live, now)
  }
  t.equal(patch(false).verb, null)
  t.equal(patch(false, { status: 'investigating', message: 'm' }).verb, null)
  t.match(patch(true, { message: 'm' }), { verb: 'updated', update: { message: 'm' } })
  t.match(patch(true), { verb: 'updated', update: { message: '' }, incident: { message: 'm' } })
})

t.test('the limit of updates applies to users, not to automatic updates', async (t) => {
  const { incident, components } = opened()
  const post = (byPerson: boolean) => () =>
    editIncident(
      state(incident, components, 500),
      { update: update({ message: 'x', byPerson }), isAlwaysStored: true },
      live,
      now,
    )
  t.throws(post(true), { code: 'CONFLICT', details: { reason: 'invalid_state' } })
  t.doesNotThrow(post(false))
})

t.test('without If-Match any version may be changed', async (t) => {
  const { incident } = opened()
  t.doesNotThrow(() => checkVersion(incident, null))
  t.doesNotThrow(() => checkVersion(incident, 1))
  t.throws(() => checkVersion(incident, 2), { code: 'CONFLICT' })
})

t.test('the source states whether a user, a key or a check opened it', async (t) => {
  const actors = ['user', 'api_key', 'config_sync', 'system'] as const
  t.same(actors.map(incidentSourceOf), ['manual', 'api', 'api', 'monitor'])
})
