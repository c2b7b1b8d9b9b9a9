/** Who an event is for. */
import type { IncidentFact } from '@status-page/contracts'
import t from 'tap'
import { matchOf, priorityOf } from './match.ts'

const component = (id: string, isMuted = false, ancestorIds: string[] = []) => ({
  id,
  name: id,
  status: 'major_outage' as const,
  isMuted,
  ancestorIds,
})

const incident = (change: Partial<IncidentFact> = {}): IncidentFact => ({
  id: 'i1',
  title: 'API errors',
  status: 'investigating',
  impact: 'major',
  message: '',
  components: [component('c1', false, ['parent', 'root'])],
  startedAt: '2026-01-02T03:04:05.000Z',
  resolvedAt: null,
  url: null,
  statusPageIds: ['p1'],
  notifySubscribers: true,
  ...change,
})

t.test('a scope that names the component or an ancestor matches', async (t) => {
  t.same(matchOf('incident.created', incident())?.scopeIds, ['c1', 'parent', 'root'])
})

t.test('a reopened incident goes to those who selected created or updated', async (t) => {
  const match = matchOf('incident.reopened', incident())
  t.same(match?.selectors, ['incident.created', 'incident.updated'])
})

t.test('only unmuted components speak', async (t) => {
  const match = matchOf(
    'incident.created',
    incident({ components: [component('c1', true), component('c2')] }),
  )
  t.same(match?.scopeIds, ['c2'])
  t.equal(match?.state, 'pending')
})

t.test('when all components are muted the rows say so and are never sent', async (t) => {
  const match = matchOf('incident.created', incident({ components: [component('c1', true)] }))
  t.equal(match?.state, 'suppressed')
  t.same(match?.scopeIds, ['c1'])
})

t.test('an incident without components goes to those who want everything', async (t) => {
  const match = matchOf('incident.created', incident({ components: [] }))
  t.same(match?.scopeIds, [])
  t.equal(match?.state, 'pending')
})

t.test('no subscriber hears of what is for channels only, or of a deletion', async (t) => {
  t.equal(matchOf('incident.created', incident({ notifySubscribers: false })), null)
  t.equal(matchOf('incident.deleted', incident()), null)
})

t.test('openings and ends overtake updates', async (t) => {
  t.ok(priorityOf('incident.resolved') < priorityOf('incident.updated'))
  t.ok(priorityOf('incident.updated') < priorityOf('monitor.down'))
})
