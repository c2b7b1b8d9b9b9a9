/** Order values of moved components: few changes, and always the requested order. */
import t from 'tap'
import { type OrderedComponent, orderValues } from './positions.ts'

const at = (...orders: number[]): OrderedComponent[] =>
  orders.map((order, index) => ({ id: `s${index}`, order }))

const orderAfter = (
  siblings: OrderedComponent[],
  movedIds: string[],
  beforeId: string | null,
): { ids: string[]; changed: number } => {
  const values = orderValues({ siblings, movedIds, beforeId })
  const all = [...siblings, ...movedIds.map((id) => ({ id, order: 0 }))]
  const sorted = all
    .map(({ id, order }) => ({ id, order: values.get(id) ?? order }))
    .sort((left, right) => left.order - right.order)
  t.equal(new Set(sorted.map(({ order }) => order)).size >= movedIds.length, true)
  return { ids: sorted.map(({ id }) => id), changed: values.size }
}

t.test('between values that are far apart only the moved components change', async (t) => {
  t.same(orderAfter(at(0, 1_000), ['a', 'b'], 's1'), { ids: ['s0', 'a', 'b', 's1'], changed: 2 })
  t.same(orderAfter(at(10, 20), ['a'], 's0'), { ids: ['a', 's0', 's1'], changed: 1 })
  t.same(orderAfter(at(10, 20), ['a', 'b'], null), { ids: ['s0', 's1', 'a', 'b'], changed: 2 })
  t.same(orderAfter([], ['a'], null), { ids: ['a'], changed: 1 })
})

t.test('without free values all children get new ones', async (t) => {
  t.same(orderAfter(at(0, 0, 0), ['a'], 's1'), { ids: ['s0', 'a', 's1', 's2'], changed: 4 })
  t.same(orderAfter(at(0, 1), ['a'], 's0'), { ids: ['a', 's0', 's1'], changed: 3 })
  t.same(orderAfter(at(1_000_000), ['a'], null), { ids: ['s0', 'a'], changed: 2 })
})

t.test('values stay within the limit of the contract', async (t) => {
  const many = at(...Array.from({ length: 5_000 }, () => 0))
  const values = [...orderValues({ siblings: many, movedIds: ['a'], beforeId: 's9' }).values()]
  t.ok(Math.max(...values) <= 1_000_000)
  t.equal(new Set(values).size, 5_001)
})

t.test('a component that is no child any more is a conflict', async (t) => {
  t.throws(() => orderValues({ siblings: at(0), movedIds: ['a'], beforeId: 'x' }), {
    code: 'CONFLICT',
    details: { reason: 'invalid_state' },
  })
})
