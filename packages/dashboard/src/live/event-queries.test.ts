/** Reads that are repeated after an event. */
import { streamedKinds } from '@status-page/contracts'
import t from 'tap'
import { hasDeliveries, liveEventOf, liveQueries, queriesOf } from './event-queries.ts'

t.test('every kind of the contract changes reads that are live', async (t) => {
  const roots = liveQueries.map(([root]) => root)
  for (const kind of streamedKinds) {
    const keys = queriesOf({ kind, subjectId: 'i1' })
    t.ok(keys.length > 0, kind)
    t.same(
      keys.filter(([root]) => !roots.includes(root)),
      [],
      kind,
    )
  }
})

t.test('an incident changes its own detail and no other', async (t) => {
  const keys = queriesOf({ kind: 'incident.updated', subjectId: 'i1' })
  t.ok(keys.some((key) => key.join() === 'incidents,detail,i1'))
  t.notOk(keys.some((key) => key.join() === 'incidents'))
})

t.test('an event of a newer version of the service changes every live read', async (t) => {
  for (const kind of ['toString', 'toString.changed', 'page.changed']) {
    t.equal(queriesOf({ kind, subjectId: '' }), liveQueries, kind)
  }
})

t.test('the subject of an event is the object with an id', async (t) => {
  const data = '{"id":"evt_1","event":"sla.at-risk","timestamp":"T","sla":{"id":"s1"}}'
  t.same(liveEventOf(data), { kind: 'sla.at-risk', subjectId: 's1' })
  t.equal(liveEventOf('no JSON'), null)
  t.equal(liveEventOf('{}'), null)
})

t.test('drafts and settings of components have no deliveries', async (t) => {
  t.equal(hasDeliveries({ kind: 'component.updated', subjectId: 'c1' }), false)
  t.equal(hasDeliveries({ kind: 'incident-draft.created', subjectId: 'd1' }), false)
  t.equal(hasDeliveries({ kind: 'incident.created', subjectId: 'i1' }), true)
})
