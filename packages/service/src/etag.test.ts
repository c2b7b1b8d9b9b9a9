/** Comparison of entity tags. */
import t from 'tap'
import { etagsMatch } from './etag.ts'

t.test('entity tags are compared weakly, as a list or a star', async (t) => {
  t.ok(etagsMatch('"a"', 'W/"a"'))
  t.ok(etagsMatch('W/"a"', '"a"'))
  t.ok(etagsMatch('"a"', '"b", "a"'))
  t.ok(etagsMatch('"a"', ['"b"', '"a"']))
  t.ok(etagsMatch('"a"', '*'))
  t.notOk(etagsMatch('"a"', '"b"'))
  t.notOk(etagsMatch('"a"', '"*"'))
  t.notOk(etagsMatch('"a"', undefined))
})
