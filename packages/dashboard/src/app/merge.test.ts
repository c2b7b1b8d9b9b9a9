/** Three-way merge: nothing that a side has changed is lost. */
import t from 'tap'
import { changesOf, merge } from './merge.ts'

const base = { title: 'API errors', impact: 'minor', startedAt: '10:00' }

t.test('changes of different fields are combined', async (t) => {
  const current = { ...base, impact: 'major' }
  const mine = { ...base, title: 'API is down' }
  t.same(merge(base, current, mine), {
    values: { ...base, title: 'API is down', impact: 'major' },
    conflicts: [],
  })
})

t.test(
  'a field that both sides have changed is a conflict, with the value of the user',
  async (t) => {
    const current = { ...base, title: 'Errors of the API' }
    const mine = { ...base, title: 'API is down' }
    t.same(merge(base, current, mine), { values: mine, conflicts: ['title'] })
  },
)

t.test('the same change of both sides is no conflict', async (t) => {
  const changed = { ...base, title: 'API is down' }
  t.same(merge(base, changed, changed), { values: changed, conflicts: [] })
})

t.test('changes are the fields that differ', async (t) => {
  t.same(changesOf(base, { ...base, impact: 'major' }), { impact: 'major' })
  t.same(changesOf(base, base), {})
})
