/** The scope ids of an incident are the same with plain and with packed ancestors. */
import t from 'tap'
import { packAncestors, scopeIdsOf } from './incident-scope.ts'

const id = (number: number) => `019a3c5e-7b1f-7c2a-9d4e-${number.toString(16).padStart(12, '0')}`

const component = (number: number, ancestorIds: string[] = [], isMuted = false) => ({
  id: id(number),
  name: 'x',
  status: 'major_outage' as const,
  isMuted,
  ancestorIds,
})

const cases: [name: string, components: ReturnType<typeof component>[], ids: number[]][] = [
  ['nothing', [], []],
  ['a component without ancestors', [component(1)], [1]],
  [
    'ancestors that are shared',
    [component(1, [id(8), id(9)]), component(2, [id(9)])],
    [1, 2, 8, 9],
  ],
  ['ancestors that are shared', [component(9), component(1, [id(9)])], [1, 9]],
  ['muted components are excluded', [component(1, [id(8)], true), component(2, [id(9)])], [2, 9]],
  [
    'all components when all are muted',
    [component(1, [id(8)], true), component(2, [], true)],
    [1, 2, 8],
  ],
]

for (const [name, components, ids] of cases) {
  t.test(`scope ids: ${name}`, async (t) => {
    const fact = { components }
    const packed = packAncestors(fact)
    t.same(new Set(scopeIdsOf(fact)), new Set(ids.map(id)))
    t.same(new Set(scopeIdsOf(packed)), new Set(ids.map(id)))
    t.ok(packed.components.every(({ ancestorIds }) => ancestorIds.length === 0))
  })
}

t.test('packing preserves every id, including the smallest and the largest', async (t) => {
  const extremes = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']
  const packed = packAncestors({ components: [component(1, extremes)] })
  t.same(scopeIdsOf(packed), [id(1), ...extremes])
  t.equal((packed as { packedAncestors?: string }).packedAncestors?.length, 44)
})
