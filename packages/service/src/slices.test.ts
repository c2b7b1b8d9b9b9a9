/** A long computation comes to the same in slices, and leaves room for others. */
import type { Sliced } from '@status-page/contracts'
import t from 'tap'
import { atOnce, inSlices } from './slices.ts'

function* busy(steps: number, stepMs: number): Sliced<number> {
  let done = 0
  while (done < steps) {
    const until = performance.now() + stepMs
    while (performance.now() < until);
    done++
    yield
  }
  return done
}

t.test('other work comes in between, and the result is the same', async (t) => {
  let turns = 0
  const others = setInterval(() => turns++, 1)
  t.teardown(() => clearInterval(others))
  t.equal(await inSlices(busy(20, 5)), 20)
  t.ok(turns > 1)
  turns = 0
  t.equal(atOnce(busy(5, 5)), 5)
  t.equal(turns, 0)
})

t.test('what it throws is thrown', async (t) => {
  // biome-ignore lint/correctness/useYield: it fails before it could pause
  function* failing(): Sliced<void> {
    throw new Error('broken')
  }
  await t.rejects(inSlices(failing()), { message: 'broken' })
  t.throws(() => atOnce(failing()), { message: 'broken' })
})
