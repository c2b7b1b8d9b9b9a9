/** Entries that an action removes from the overview. */
import t from 'tap'
import { withoutEntry } from './without-entry.ts'

const overview = {
  alerts: { total: 30, items: [{ id: 'a' }, { id: 'b' }] },
  drafts: null,
} as never

t.test('an entry is removed once, with its count', async (t) => {
  const after = withoutEntry(overview, 'alerts', 'a')
  t.match(after, { alerts: { total: 29, items: [{ id: 'b' }] } })
  t.same(withoutEntry(after, 'alerts', 'a'), after)
})

t.test('a part without permission stays absent', async (t) => {
  t.equal(withoutEntry(overview, 'drafts', 'a'), overview)
})
