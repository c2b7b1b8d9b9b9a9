/** Long lists: written as short ones are, with a pause after each entry. */
import { Type } from '@sinclair/typebox'
import { listOf } from '@status-page/contracts'
import t from 'tap'
import { isLargeList, listText } from './list-text.ts'

const schema = listOf(Type.Object({ id: Type.String() }))
const list = (count: number) => ({
  data: Array.from({ length: count }, (_, index) => ({ id: `${index}"` })),
  meta: { total: count, page: 1, pageSize: 100 },
})

t.test('a long list is written entry by entry, each by the schema of entries', async (t) => {
  const serialisers: unknown[] = []
  const work = listText(schema, list(100), (part) => {
    serialisers.push(part)
    return JSON.stringify
  })
  let pauses = 0
  let step = work.next()
  for (; !step.done; step = work.next()) pauses += 1
  t.equal(pauses, 100)
  t.same(JSON.parse(String(step.value)), list(100))
  t.same(serialisers, [schema.properties.data.items, schema.properties.meta])
})

t.test('only a list with many entries is written so', async (t) => {
  t.equal(isLargeList(schema, list(10)), true)
  t.equal(isLargeList(schema, list(9)), false)
  t.equal(isLargeList(Type.Object({ data: Type.Array(Type.String()) }), list(10)), false)
  t.equal(isLargeList(Type.Object({}), list(10)), false)
})
