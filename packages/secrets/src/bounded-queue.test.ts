/** Concurrency, FIFO order and rejection of the bounded queue. */
import { AppError } from '@status-page/contracts'
import t from 'tap'
import { createBoundedQueue } from './bounded-queue.ts'

const limits = { atOnce: 2, waiting: 3, refusal: 'Too many at once' }

t.test('two run, three wait in order, the next is rejected', async (t) => {
  const inTurn = createBoundedQueue(limits)
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>())
  const begun: number[] = []
  const runs = gates.map(({ promise }, index) =>
    inTurn(async () => {
      begun.push(index)
      await promise
      return index
    }),
  )
  await t.rejects(
    inTurn(async () => 0),
    {
      code: 'SERVICE_UNAVAILABLE',
      message: 'Too many at once',
      headers: { 'retry-after': '1' },
    },
  )
  t.same(begun, [0, 1])
  gates[1]?.resolve()
  t.equal(await runs[1], 1)
  await Promise.resolve()
  t.same(begun, [0, 1, 2], 'who waits longest is next')
  for (const { resolve } of gates) resolve()
  t.same(await Promise.all(runs), [0, 1, 2, 3, 4])
  t.same(begun, [0, 1, 2, 3, 4])
})

t.test('work that fails releases its slot', async (t) => {
  const inTurn = createBoundedQueue({ ...limits, atOnce: 1, waiting: 0 })
  await t.rejects(
    inTurn(() => Promise.reject(new Error('broken'))),
    { message: 'broken' },
  )
  t.equal(await inTurn(async () => 'there is room again'), 'there is room again')
  const { promise, resolve } = Promise.withResolvers<void>()
  const running = inTurn(() => promise)
  await t.rejects(
    inTurn(async () => 0),
    AppError,
  )
  resolve()
  await running
})
