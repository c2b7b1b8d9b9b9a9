/** Responses with long lists have the same value as in one piece, with a pause after each entry. */
import { Type } from '@sinclair/typebox'
import { listOf } from '@status-page/contracts'
import t from 'tap'
import { encodeLongLists, hasLongList } from './long-lists.ts'

const Update = Type.Object({ message: Type.String() })
const Entry = Type.Object({ id: Type.String(), updates: Type.Optional(Type.Array(Update)) })
const schema = listOf(Entry)

const updates = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ message: `${index}"` }))
const list = (count: number, more: object = {}) => ({
  data: Array.from({ length: count }, (_, index) => ({ id: `${index}"`, ...more })),
  meta: { total: count, page: 1, pageSize: 100 },
})

const write = (of: typeof schema | typeof Entry, value: unknown) => {
  const schemas: unknown[] = []
  const work = encodeLongLists(of, value, (part) => {
    schemas.push(part)
    return JSON.stringify
  })
  let pauses = 0
  let step = work.next()
  for (; !step.done; step = work.next()) pauses += 1
  return { pauses, schemas, value: JSON.parse(String(step.value)) }
}

t.test('a long list is written entry by entry, each by the schema of entries', async (t) => {
  const { pauses, schemas, value } = write(schema, list(100))
  t.equal(pauses, 100)
  t.same(value, list(100))
  t.same(schemas.slice(1), Array(100).fill(Entry))
  t.same(Object.keys((schemas[0] as typeof schema).properties), ['meta'])
  t.equal(write(schema, list(100)).schemas[0], schemas[0], 'compiled once')
})

t.test('an object with a long list pauses after each entry of it', async (t) => {
  const incident = { id: '1', updates: updates(500) }
  const { pauses, value } = write(Entry, incident)
  t.equal(pauses, 500)
  t.same(value, incident)
})

t.test('a list of one entry pauses within the long list of that entry', async (t) => {
  const { pauses, value } = write(schema, list(1, { updates: updates(500) }))
  t.equal(pauses, 501)
  t.same(value, list(1, { updates: updates(500) }))
})

t.test('values without long lists are written in one piece', async (t) => {
  t.equal(hasLongList(schema, list(10)), true)
  t.equal(hasLongList(schema, list(9)), false)
  t.equal(hasLongList(schema, list(9, { updates: updates(9) })), false)
  t.equal(hasLongList(Type.Object({}), list(10)), false)
  t.equal(hasLongList(Type.Object({}), null), false)
  t.equal(write(schema, list(9)).pauses, 0)
})
