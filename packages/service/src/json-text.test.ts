/** Cooperative serialisation equals `JSON.stringify`. */
import t from 'tap'
import { stringifyJson } from './json-text.ts'

t.test('the text of a large value equals JSON.stringify, in many steps', async (t) => {
  const at = new Date(0)
  const entry = { at, none: undefined, nothing: null, list: [1, 'a"', undefined], deep: [[[[[]]]]] }
  const value = { empty: {}, none: [], '"': 1, entries: Array.from({ length: 5_000 }, () => entry) }
  const work = stringifyJson(value)
  let steps = 0
  let step = work.next()
  for (; !step.done; step = work.next()) steps += 1
  t.equal(String(step.value), JSON.stringify(value))
  t.ok(steps > 10, `${steps} pauses`)
})
