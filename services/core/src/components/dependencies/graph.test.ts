/** Rules of the graph of dependencies, case by case. */
import t from 'tap'
import { dependencyProblems, dependentsOf, directDependents, reachableFrom } from './graph.ts'

/** Graph of edges such as `a-b`: `a` depends on `b`. */
const graph = (edges: string) => {
  const dependencies = new Map<string, string[]>()
  for (const edge of edges.split(' ')) {
    const [id = '', target = ''] = edge.split('-')
    dependencies.set(id, [...(dependencies.get(id) ?? []), target])
  }
  return dependencies
}

const chain = (length: number) =>
  Array.from({ length }, (_none, index) => `n${index}-n${index + 1}`).join(' ')

const CYCLE = 'dependsOn must not form a cycle'
const LENGTH = 'Dependencies can form chains of at most 10 steps'

const cases: [name: string, edges: string, changed: string[], problems: [string, string][]][] = [
  ['a diamond is no cycle', 'a-b a-c b-d c-d', ['a', 'b'], []],
  ['a component must not depend on itself', 'a-a', ['a'], [['a', CYCLE]]],
  ['a cycle is a problem of each changed component in it', 'a-b b-a', ['a'], [['a', CYCLE]]],
  ['a component that leads into a cycle has no problem itself', 'x-a a-b b-a', ['x'], []],
  ['a component behind a cycle has no problem itself', 'a-b b-a a-c c-d', ['c'], []],
  ['a chain of ten steps is valid', chain(10), ['n0', 'n5', 'n9'], []],
  ['a chain of eleven steps is too long at its start', chain(11), ['n0'], [['n0', LENGTH]]],
  ['a chain of eleven steps is too long in its middle', chain(11), ['n5'], [['n5', LENGTH]]],
  ['the longest chain counts', `n0-n10 ${chain(11)}`, ['n0'], [['n0', LENGTH]]],
]

for (const [name, edges, changed, problems] of cases) {
  t.test(name, async (t) => {
    t.same([...dependencyProblems(graph(edges), changed)], problems)
  })
}

t.test('the distance is the length of the shortest chain', async (t) => {
  const edges = graph('a-c a-b b-c d-a')
  t.same(
    [...reachableFrom(edges, 'a')],
    [
      ['c', 1],
      ['b', 1],
    ],
  )
  t.same(
    [...reachableFrom(dependentsOf(edges), 'c')],
    [
      ['a', 1],
      ['b', 1],
      ['d', 2],
    ],
  )
})

t.test('direct dependents exclude the components themselves', async (t) => {
  t.same(directDependents(graph('a-b b-c d-c e-x'), ['b', 'c']), ['a', 'd'])
})
