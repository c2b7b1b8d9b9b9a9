import { eventually } from '@status-page/testing'
import t from 'tap'
import { type Job, startJobs } from './index.ts'

const hourMs = 3_600_000
const quiet = { error: () => {} }

t.test('a job that did something runs again at once, then pauses until it is woken', async (t) => {
  const responses = [2, 1, 0, 0]
  let runs = 0
  const work: Job = { name: 'a', intervalMs: hourMs, run: async () => responses[runs++] ?? 0 }
  const due = startJobs([work], { logger: quiet })
  t.teardown(() => due.stop())
  await eventually(() => runs === 3)
  due.wake('other')
  due.wake('a')
  await eventually(() => runs === 4)
})

t.test('a wake during a run is not lost', async (t) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let runs = 0
  const run = async () => {
    runs++
    await released
    return 0
  }
  const due = startJobs([{ name: 'a', intervalMs: hourMs, run }], { logger: quiet })
  t.teardown(() => due.stop())
  due.wake()
  release()
  await eventually(() => runs === 2)
})

t.test('an error is logged and does not end the loop', async (t) => {
  const errors: unknown[] = []
  let runs = 0
  const run = async () => {
    if (runs++ === 0) throw new Error('database away')
    return 0
  }
  const due = startJobs([{ name: 'a', intervalMs: hourMs, run }], {
    logger: quiet,
    onError: (_work, error) => errors.push(error),
  })
  t.teardown(() => due.stop())
  await eventually(() => errors.length === 1)
  due.wake()
  await eventually(() => runs === 2)
})

t.test('stop aborts the signal and waits for the run to end', async (t) => {
  let ended = false
  const run = async (signal: AbortSignal) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    ended = true
    return 1
  }
  const due = startJobs([{ name: 'a', intervalMs: hourMs, run }], { logger: quiet })
  await due.stop()
  t.ok(ended)
})

t.test('jobs with due rows are woken by one query for all of them', async (t) => {
  const runs: Record<string, number> = { a: 0, b: 0, c: 0 }
  let due = [false, false]
  const queries: (readonly string[])[] = []
  const jobOf = (name: string, condition?: string): Job => ({
    name,
    due: condition,
    intervalMs: condition === undefined ? hourMs : 1,
    run: async () => {
      runs[name] = (runs[name] ?? 0) + 1
      return 0
    },
  })
  const runner = startJobs([jobOf('a', 'first'), jobOf('b', 'second'), jobOf('c')], {
    logger: quiet,
    readDue: async (conditions) => {
      queries.push(conditions)
      return due
    },
  })
  t.teardown(() => runner.stop())
  await eventually(() => queries.length > 2)
  t.same(runs, { a: 0, b: 0, c: 1 }, 'only a job without a condition runs at the start')
  t.same(queries[0], ['first', 'second'])
  due = [false, true]
  await eventually(() => (runs.b ?? 0) >= 3)
  t.equal(runs.a, 0)
})

t.test('due rows do not shorten the pause after a failed run', async (t) => {
  let runs = 0
  let queries = 0
  const run = async () => {
    runs++
    throw new Error('database away')
  }
  const runner = startJobs([{ name: 'a', intervalMs: 1, due: 'true', run }], {
    logger: quiet,
    readDue: async () => {
      queries++
      return [true]
    },
  })
  t.teardown(() => runner.stop())
  await eventually(() => queries > 20)
  t.ok(runs < queries / 2)
})

t.test('the first runs of jobs follow one another, and a long one delays no other', async (t) => {
  const running = new Set<string>()
  const seen: string[][] = []
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const jobOf = (name: string, work: Promise<void>): Job => ({
    name,
    intervalMs: hourMs,
    async run() {
      running.add(name)
      seen.push([...running])
      await work
      running.delete(name)
      return 0
    },
  })
  const short = Promise.resolve()
  const jobs = [jobOf('a', short), jobOf('b', released), jobOf('c', short), jobOf('d', short)]
  const runner = startJobs(jobs, { logger: quiet })
  t.teardown(() => runner.stop())
  await eventually(() => seen.length === jobs.length)
  t.same(seen, [['a'], ['b'], ['b', 'c'], ['b', 'd']])
  release()
})
