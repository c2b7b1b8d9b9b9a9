/** Differences of two texts by line. */
import t from 'tap'
import { lineDiff } from './line-diff.ts'

t.test('changed lines have their context and their numbers', async (t) => {
  const before = 'a\nb\nc\nd\ne\nf\n'
  t.same(lineDiff(before, before), [])
  const [lines = []] = lineDiff(before, before.replace('e', 'E')) ?? []
  t.same(
    lines.map(({ kind, number, text }) => `${kind} ${number} ${text}`),
    ['same 2 b', 'same 3 c', 'same 4 d', 'removed 5 e', 'added 5 E', 'same 6 f'],
  )
})

t.test('distant changes are separate groups', async (t) => {
  const lines = Array.from({ length: 40 }, (_, index) => `${index}`)
  const changed = lines.map((line) => (line === '3' || line === '30' ? 'x' : line))
  t.equal(lineDiff(lines.join('\n'), changed.join('\n'))?.length, 2)
})

t.test('texts that differ too much are not compared', async (t) => {
  const textOf = (prefix: string) =>
    Array.from({ length: 5_000 }, (_, index) => `${prefix}${index}`).join('\n')
  t.equal(lineDiff(textOf('a'), textOf('b')), null)
})
