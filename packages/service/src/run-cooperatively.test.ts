/** A cooperative computation has the same result and lets other work run. */
import type { Cooperative } from '@status-page/contracts'
import t from 'tap'
import { createFairTurns, runCooperatively, runToEnd, withTurnsOf } from './run-cooperatively.ts'

function* busy(steps: number, stepMs: number): Cooperative<number> {
  let done = 0
  while (done < steps) {
    const until = performance.now() + stepMs
    while (performance.now() < until);
    done++
    yield
  }
  return done
}

t.test('other work runs in between, and the result is the same', async (t) => {
  let turns = 0
  const others = setInterval(() => turns++, 1)
  t.teardown(() => clearInterval(others))
  t.equal(await runCooperatively(busy(20, 5)), 20)
  t.ok(turns > 1)
  turns = 0
  t.equal(runToEnd(busy(5, 5)), 5)
  t.equal(turns, 0)
})

t.test('an error of the computation is thrown', async (t) => {
  // biome-ignore lint/correctness/useYield: it fails before it could pause
  function* failing(): Cooperative<void> {
    throw new Error('broken')
  }
  await t.rejects(runCooperatively(failing()), { message: 'broken' })
  t.throws(() => runToEnd(failing()), { message: 'broken' })
})

/**
 * Scheduler whose clock advances one millisecond per step, and whose event loop the test drives.
 */
const manualTurns = () => {
  let now = 0
  const deferred: (() => void)[] = []
  const turns = createFairTurns({ nowMs: () => now, defer: (run) => deferred.push(run) })
  const steps: string[] = []
  function* counted(owner: string, count: number): Cooperative<string> {
    for (let step = 0; step < count; step++) {
      steps.push(owner)
      now += 1
      yield
    }
    return owner
  }
  return {
    steps,
    deferred,
    add: (owner: string, count: number) => turns.add(owner, counted(owner, count)),
    /** Runs one event loop iteration. */
    round: () => {
      for (const run of deferred.splice(0)) run()
      return steps.splice(0)
    },
  }
}

t.test('one slice runs between two event loop iterations, whatever is pending', async (t) => {
  const { add, round, deferred, steps } = manualTurns()
  for (let index = 0; index < 50; index++) add('a', 25)
  t.same(steps, [], 'nothing runs before the event loop has its turn')
  let total = 0
  while (deferred.length > 0) {
    t.equal(deferred.length, 1)
    const { length } = round()
    t.ok(length <= 10, `${length} steps of 1 ms`)
    total += length
  }
  t.equal(total, 50 * 25)
})

t.test('an organization with many computations takes every other turn, not all', async (t) => {
  const { add, round } = manualTurns()
  for (let index = 0; index < 50; index++) add('large', 1_000)
  const small = [add('small', 15), add('small', 4)]
  t.same(new Set(round()), new Set(['large']))
  t.same(new Set(round()), new Set(['small']))
  t.same(new Set(round()), new Set(['large']))
  t.same(round().filter((owner) => owner === 'small').length, 4, 'the second of them has its turn')
  for (let rounds = 0; rounds < 2; rounds++) round()
  t.same(await Promise.all(small), ['small', 'small'])
})

t.test('computations of a request belong to its organization', async (t) => {
  const order: string[] = []
  function* slow(owner: string): Cooperative<void> {
    for (let step = 0; step < 3; step++) {
      const until = performance.now() + 15
      while (performance.now() < until);
      order.push(owner)
      yield
    }
  }
  const all = ['a', 'a', 'a', 'b'].map((owner) =>
    withTurnsOf(owner, async () => {
      await Promise.resolve()
      await runCooperatively(slow(owner))
    }),
  )
  await Promise.all(all)
  t.ok(order.lastIndexOf('b') < 6, order.join(' '))
})
