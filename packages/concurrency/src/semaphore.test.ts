/** Order, limits and timeouts of the semaphore. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { Semaphore, type SemaphoreOptions } from './semaphore.ts'

const rejected = {
  code: 'SERVICE_UNAVAILABLE',
  message: 'Too many runs',
  headers: { 'retry-after': '1' },
}

/** Runs of a semaphore that end when the test ends them. */
const startRuns = (options: SemaphoreOptions) => {
  const semaphore = new Semaphore({ rejectionMessage: rejected.message, ...options })
  const begun: string[] = []
  const gates = new Map<string, () => void>()
  const run = (key: string, name: string) =>
    semaphore.run(async () => {
      begun.push(name)
      const { promise, resolve } = Promise.withResolvers<void>()
      gates.set(name, resolve)
      await promise
      return name
    }, key)
  const end = async (...names: string[]) => {
    for (const name of names) {
      gates.get(name)?.()
      await nextTurn()
    }
  }
  return { semaphore, begun, run, end }
}

t.test('callers without a key run up to the limit, then wait in order', async (t) => {
  const { begun, run, end } = startRuns({ slots: 2, maxWaiting: 3 })
  const names = ['1', '2', '3', '4', '5']
  const runs = names.map((name) => run('', name))
  await t.rejects(run('', '6'), rejected)
  t.same(begun, ['1', '2'])
  await end('2')
  t.same(begun, ['1', '2', '3'], 'the longest waiting caller is next')
  await end('1', '3', '4', '5')
  t.same(await Promise.all(runs), names)
  t.same(begun, names)
})

t.test('a key has slots and a queue of its own', async (t) => {
  const { begun, run, end } = startRuns({ slotsPerKey: 1, maxWaitingPerKey: 2 })
  const runs = ['a1', 'a2', 'a3'].map((name) => run('a', name))
  await t.rejects(run('a', 'a4'), rejected)
  runs.push(run('b', 'b1'))
  await nextTurn()
  t.same(begun, ['a1', 'b1'])
  await end('b1', 'a1', 'a2', 'a3')
  await Promise.all(runs)
  t.same(begun, ['a1', 'b1', 'a2', 'a3'])
})

t.test('a key with many callers goes behind the others after each run', async (t) => {
  const { begun, run, end } = startRuns({ slots: 2, slotsPerKey: 1 })
  const runs = ['a1', 'a2', 'a3'].map((name) => run('a', name))
  runs.push(run('b', 'b1'), run('c', 'c1'))
  await nextTurn()
  t.same(begun, ['a1', 'b1'])
  await end('a1')
  t.same(begun, ['a1', 'b1', 'c1'])
  await end('b1')
  t.same(begun, ['a1', 'b1', 'c1', 'a2'])
  await end('c1', 'a2', 'a3')
  await Promise.all(runs)
  t.same(begun, ['a1', 'b1', 'c1', 'a2', 'a3'])
})

t.test('all queues together are limited', async (t) => {
  const { begun, run, end } = startRuns({ slots: 2, slotsPerKey: 1, maxWaiting: 6 })
  const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
  const runs = keys.map((key) => run(key, key))
  await t.rejects(run('i', 'i'), rejected)
  await end(...keys)
  t.same(await Promise.all(runs), keys)
  t.same(begun, keys)
})

t.test('work that fails releases its slot', async (t) => {
  const { semaphore } = startRuns({ slots: 1, maxWaiting: 0 })
  await t.rejects(
    semaphore.run(() => Promise.reject(new Error('broken'))),
    { message: 'broken' },
  )
  t.equal(await semaphore.run(async () => 'has a slot'), 'has a slot')
})

t.test('a caller whose wait timed out leaves the queue', async (t) => {
  const { semaphore, begun, run, end } = startRuns({ slots: 1, maxWaitingPerKey: 1, waitMs: 50 })
  const first = run('a', 'first')
  await t.rejects(run('a', 'late'), rejected)
  t.notOk(await semaphore.acquire('a'))
  const next = run('a', 'next')
  await end('first', 'next')
  await Promise.all([first, next])
  t.same(begun, ['first', 'next'])
})
