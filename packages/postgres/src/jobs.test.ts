import { eventually } from '@status-page/testing'
import t from 'tap'
import { type Job, startJobs } from './index.ts'

const hourMs = 3_600_000
const quiet = { error: () => {} }

t.test('a job that did something runs again at once, then pauses until it is woken', async (t) => {
  const answers = [2, 1, 0, 0]
  let runs = 0
  const work: Job = { name: 'a', intervalMs: hourMs, run: async () => answers[runs++] ?? 0 }
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
