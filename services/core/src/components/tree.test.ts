import t from 'tap'
import { ancestorIdsOf, subtreeHeight, validateParent } from './tree.ts'

const ids = (count: number) => Array.from({ length: count }, (_none, index) => `c${index}`)

t.test('a component cannot be placed below itself', async (t) => {
  t.throws(() => validateParent({ id: 'a', ancestorIds: ['b', 'a'], height: 0 }), {
    code: 'VALIDATION_ERROR',
    details: { field: 'parentComponentId' },
  })
})

t.test('ten levels are allowed, eleven are not', async (t) => {
  validateParent({ id: 'a', ancestorIds: ids(9), height: 0 })
  validateParent({ id: 'a', ancestorIds: ids(4), height: 5 })
  t.throws(() => validateParent({ id: 'a', ancestorIds: ids(10), height: 0 }))
  t.throws(() => validateParent({ id: 'a', ancestorIds: ids(4), height: 6 }))
})

t.test('height is the length of the longest path down', async (t) => {
  const node = (id: string, parentComponentId: string | null) => ({ id, parentComponentId })
  const below = [node('a', 'root'), node('b', 'a'), node('c', 'b'), node('d', 'a')]
  t.equal(subtreeHeight('a', below), 2)
  t.equal(subtreeHeight('d', [node('d', 'a')]), 0)
})

t.test('a broken chain of parents terminates', async (t) => {
  const loop = new Map([
    ['a', 'b'],
    ['b', 'a'],
  ])
  t.equal(ancestorIdsOf(loop, 'a').length, 10)
})
