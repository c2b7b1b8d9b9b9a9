/** Due items: failing ones at the head delay none behind them. */
import t from 'tap'
import { createDueBatchesRun, createDueItemsRun, ItemFailures, startJobs } from './index.ts'

const numbers = (length: number) => Array.from({ length }, (_none, index) => index)

/** Items from 0; those below `failing` fail until `heal`. */
const scene = ({
  failing,
  all,
  batchSize = 100,
}: Record<'failing' | 'all', number> & {
  batchSize?: number
}) => {
  let now = 0
  let isHealed = false
  const left = new Set(numbers(all))
  const attempts: number[] = []
  const run = createDueItemsRun<number>({
    batchSize,
    find: async (limit) => [...left].slice(0, limit),
    keyOf: String,
    work: async (item) => {
      attempts.push(item)
      if (item < failing && !isHealed) throw new Error(`item ${item}`)
      left.delete(item)
      return true
    },
    nowMs: () => now,
  })
  const heal = () => {
    isHealed = true
  }
  return { run, left, attempts, heal, advance: (ms: number) => (now += ms) }
}

t.test('a hundred failing items at the head do not starve the next', async (t) => {
  const { run, left } = scene({ failing: 100, all: 101 })
  await t.rejects(run(), { message: 'item 0', isBatchFull: true })
  t.ok(left.has(100))
  t.equal(await run(), 1)
  t.notOk(left.has(100))
  t.equal(await run(), 0)
})

t.test('each attempt waits longer than the one before, ten minutes at most', async (t) => {
  const { run, attempts, advance, heal } = scene({ failing: 1, all: 1 })
  for (const pauseMs of [5, 10, 20, 40, 80, 160, 320, 600, 600].map((seconds) => seconds * 1000)) {
    await t.rejects(run(), ItemFailures)
    advance(pauseMs - 1)
    t.equal(await run(), 0, `not before ${pauseMs} ms`)
    advance(1)
  }
  t.equal(attempts.length, 9)
  heal()
  t.equal(await run(), 1)
})

t.test('items are processed once each, at most so many at once', async (t) => {
  let running = 0
  const seen: number[] = []
  const most: number[] = []
  const run = createDueItemsRun<number>({
    batchSize: 10,
    atOnce: 3,
    find: async () => numbers(10),
    keyOf: String,
    work: async (item) => {
      running += 1
      most.push(running)
      await new Promise((resolve) => setImmediate(resolve))
      seen.push(item)
      running -= 1
      if (item === 4) throw new Error('item 4')
      return true
    },
  })
  await t.rejects(run(), { message: 'item 4' })
  t.same(
    seen.toSorted((left, right) => left - right),
    numbers(10),
  )
  t.equal(Math.max(...most), 3)
})

t.test('a failing item of a batch fails alone, and the others are processed once', async (t) => {
  const seen: number[] = []
  const sizes: number[] = []
  const run = createDueBatchesRun<number>({
    maxItems: 20,
    batchSize: 8,
    atOnce: 2,
    find: async (limit) => numbers(40).slice(0, limit),
    keyOf: String,
    work: async (items) => {
      sizes.push(items.length)
      if (items.includes(5) || items.includes(17)) throw new Error(`items ${items}`)
      seen.push(...items)
      return items.length
    },
  })
  await t.rejects(run(), ItemFailures)
  t.same(
    seen.toSorted((left, right) => left - right),
    numbers(20).filter((item) => item !== 5 && item !== 17),
  )
  t.equal(Math.max(...sizes), 8)
  t.equal(await run(), 20, 'the failed ones are paused')
})

t.test('a lost connection ends the run at once, and postpones no item', async (t) => {
  let calls = 0
  const lost = Object.assign(new Error('gone'), { code: 'ECONNRESET' })
  const run = createDueItemsRun<number>({
    batchSize: 10,
    find: async () => numbers(10),
    keyOf: String,
    work: async () => {
      if (calls++ === 0) throw lost
      return true
    },
  })
  await t.rejects(run(), lost)
  t.equal(calls, 1)
  t.equal(await run(), 10)
})

t.test('failing items beyond the bound of memory are tried again', async (t) => {
  const { run, attempts } = scene({ failing: 5_001, all: 5_001, batchSize: 5_001 })
  await t.rejects(run(), ItemFailures)
  t.equal(attempts.length, 5_001)
  await t.rejects(run(), ItemFailures)
  t.equal(attempts.length, 5_002)
})

t.test('failed items do not slow down their loop', async (t) => {
  const logged: object[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const { run } = scene({ failing: 100, all: 101 })
  const work = {
    name: 'items',
    intervalMs: 10,
    run: async (signal: AbortSignal) => {
      const done = await run(signal)
      if (done === 1) resolve()
      return done
    },
  }
  const error = (details: object) => void logged.push(details)
  const due = startJobs([work], { logger: { error } })
  await promise
  await due.stop()
  t.match(logged, [{ job: 'items', failedItems: 100 }])
})
