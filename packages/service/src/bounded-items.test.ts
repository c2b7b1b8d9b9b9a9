/** Validation of a list costs no more than the problems that the reply contains. */
import { Type } from '@sinclair/typebox'
import t from 'tap'
import { compileValidator } from './validate.ts'

const MAX_ITEMS = 2_000

/** Counts the reads of an entry. */
const entriesOf = (length: number) => {
  const reads = { count: 0 }
  const entry = {
    get name() {
      reads.count += 1
      return 7
    },
  }
  return { reads, entries: Array.from({ length }, () => entry) }
}

const Named = Type.Object({ name: Type.String({ minLength: 1 }) })
const judge = compileValidator(
  Type.Object({
    lists: Type.Array(Type.Array(Named, { maxItems: MAX_ITEMS }), { maxItems: MAX_ITEMS }),
  }),
  'body',
)

t.test('validation stops at the first fifty problems of a list', async (t) => {
  const { entries, reads } = entriesOf(MAX_ITEMS)
  const issues = judge({ lists: [entries] })
  t.equal(issues.length, 50)
  t.same(issues[49], {
    field: 'lists[0][49].name',
    message: 'lists[0][49].name must be a string',
    keyword: 'type',
  })
  t.ok(reads.count < 200, `${reads.count} reads`)
})

t.test('the entries of a list that is too long are not read', async (t) => {
  const { entries, reads } = entriesOf(MAX_ITEMS + 1)
  t.same(judge({ lists: [[], entries] }), [
    {
      field: 'lists[1]',
      message: 'lists[1] must have at most 2000 entries',
      keyword: 'maxItems',
      limit: 2000,
    },
  ])
  t.equal(reads.count, 0)
})

t.test('problems of later entries are found after valid ones', async (t) => {
  const good = Array.from({ length: 500 }, () => ({ name: 'a' }))
  t.same(judge({ lists: [good, [...good, {}], [{ name: '' }]] }), [
    {
      field: 'lists[1][500].name',
      message: 'lists[1][500].name is required',
      keyword: 'required',
    },
    {
      field: 'lists[2][0].name',
      message: 'lists[2][0].name must not be empty',
      keyword: 'minLength',
      limit: 1,
    },
  ])
})

t.test('an entry twice is one problem of the list, and a union has one of its own', async (t) => {
  const Unique = Type.Array(Type.String(), { maxItems: 5, uniqueItems: true })
  const Either = Type.Array(Type.Union([Type.String(), Type.Number()]), { maxItems: 5 })
  const judge = compileValidator(Type.Object({ unique: Unique, either: Either }), 'body')
  t.same(judge({ unique: ['a', 'b'], either: ['a', 1] }), [])
  t.same(judge({ unique: ['a', 'b', 'a'], either: ['a', true] }), [
    { field: 'unique', message: 'unique must not contain duplicates', keyword: 'uniqueItems' },
    {
      field: 'either[1]',
      message: 'either[1] does not match any of the allowed forms',
      keyword: 'anyOf',
    },
  ])
})
