/** Offset pagination that reads from whichever end of a list is nearer. */
import t from 'tap'
import { windowFromNearerEnd } from './pagination.ts'

t.test('a page has the same rows whichever end the list is read from', async (t) => {
  for (let total = 0; total <= 25; total += 1) {
    const rows = Array.from({ length: total }, (_none, index) => index)
    for (let offset = 0; offset <= 30; offset += 5) {
      const near = windowFromNearerEnd({ limit: 5, offset }, total)
      const from = near.isReversed ? rows.toReversed() : rows
      const page = from.slice(near.offset, near.offset + near.limit)
      const shown = near.isReversed ? page.reverse() : page
      t.same(shown, rows.slice(offset, offset + 5), `${offset} of ${total}`)
      t.ok(near.offset <= total / 2 || near.limit === 0, 'never more than half the list')
    }
  }
})
