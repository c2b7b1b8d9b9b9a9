/** Items are processed once, in order and in bounded batches that grow while one is processed. */
import { unavailable } from '@status-page/contracts'
import t from 'tap'
import { BatchQueue } from './batch-queue.ts'

const create = (maxWaiting = 10) => {
  const batches: { items: number[]; end(): void }[] = []
  const queue = new BatchQueue<number>({
    batchSize: 3,
    maxWaiting,
    process: (items) => new Promise((end) => void batches.push({ items, end })),
  })
  return { queue, batches }
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

t.test('items of one turn are one batch; later ones wait for its end', async (t) => {
  const { queue, batches } = create()
  for (const item of [1, 2]) queue.add(item)
  await nextTurn()
  for (const item of [3, 4, 5, 6]) queue.add(item)
  await nextTurn()
  t.same(
    batches.map(({ items }) => items),
    [[1, 2]],
  )
  batches[0]?.end()
  await nextTurn()
  t.same(batches[1]?.items, [3, 4, 5])
  batches[1]?.end()
  await nextTurn()
  t.same(batches[2]?.items, [6])
  batches[2]?.end()
  await nextTurn()
  queue.add(7)
  await nextTurn()
  t.same(batches[3]?.items, [7], 'an empty queue starts again')
})

t.test('a full queue refuses items with 503 until a batch has taken some', async (t) => {
  const { queue, batches } = create(3)
  for (const item of [1, 2, 3]) queue.add(item)
  t.throws(() => queue.add(4), unavailable('Too many requests wait'))
  await nextTurn()
  queue.add(5)
  batches[0]?.end()
  await nextTurn()
  t.same(batches[1]?.items, [5])
})
