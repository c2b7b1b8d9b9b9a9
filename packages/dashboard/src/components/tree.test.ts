/** Tree of components: filters, selection and moves. */
import t from 'tap'
import {
  type ComponentData,
  filterTree,
  flatten,
  placed,
  placementOf,
  topmost,
  treeOf,
  visibleCount,
} from './tree.ts'

const component = (id: string, parentComponentId: string | null = null) =>
  ({ id, name: id, parentComponentId }) as ComponentData

const list = [
  component('a'),
  component('a1', 'a'),
  component('a2', 'a'),
  component('b'),
  component('b1', 'b'),
  component('c'),
]
const tree = treeOf(list)
const idsOf = (nodes: readonly { id: string }[]) => nodes.map(({ id }) => id)

t.test('children are below their parents, in the order of the list', async (t) => {
  t.same(idsOf(tree), ['a', 'b', 'c'])
  t.same(idsOf(flatten(tree)), ['a', 'a1', 'a2', 'b', 'b1', 'c'])
  t.same(idsOf(treeOf([component('x', 'missing')])), ['x'])
})

t.test('nodes below collapsed ones are not displayed', async (t) => {
  t.equal(visibleCount(tree, new Set()), 3)
  t.equal(visibleCount(tree, new Set(['a', 'b'])), 6)
  t.equal(visibleCount(tree, new Set(['b'])), 4)
})

t.test('a filter retains the ancestors of a match', async (t) => {
  t.same(idsOf(flatten(filterTree(tree, ({ id }) => id === 'b1'))), ['b', 'b1'])
  t.same(
    filterTree(tree, () => false),
    [],
  )
})

t.test('a selected parent includes its selected children', async (t) => {
  t.same(idsOf(topmost(tree, new Set(['a', 'a1', 'b1']))), ['a', 'b1'])
})

t.test('a drop target denotes a parent and the next sibling', async (t) => {
  const at = (moved: string[], key: string, position: 'before' | 'after' | 'on') =>
    placementOf(tree, new Set(moved), { key, position })
  t.same(at(['c'], 'a', 'before'), {
    componentIds: ['c'],
    parentComponentId: null,
    beforeId: 'a',
  })
  t.match(at(['c'], 'a1', 'after'), { parentComponentId: 'a', beforeId: 'a2' })
  t.match(at(['c'], 'a2', 'after'), { parentComponentId: 'a', beforeId: null })
  t.match(at(['c'], 'b', 'on'), { parentComponentId: 'b', beforeId: null })
  t.match(at(['b'], 'a', 'after'), { parentComponentId: null, beforeId: 'c' })
  t.equal(at(['a'], 'a1', 'after'), null, 'not below itself')
  t.equal(at(['a'], 'a', 'on'), null)
})

t.test('the list is shown as it is after the move', async (t) => {
  const after = placed(list, { componentIds: ['c', 'b1'], parentComponentId: 'a', beforeId: 'a2' })
  t.same(idsOf(flatten(treeOf(after))), ['a', 'a1', 'c', 'b1', 'a2', 'b'])
  const last = placed(list, { componentIds: ['a1'], parentComponentId: null, beforeId: null })
  t.same(idsOf(treeOf(last)), ['a', 'b', 'c', 'a1'])
})
