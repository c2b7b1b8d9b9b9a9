/** Invalidation after events: once per burst, and later in hidden tabs. */
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { createInvalidator } from './invalidation.ts'

const stage = (isHidden: boolean) => {
  const calls: unknown[] = []
  const invalidateQueries = async (filters: unknown) => void calls.push(filters)
  return { calls, invalidator: createInvalidator({ invalidateQueries } as never, () => isHidden) }
}

t.test('a burst of events repeats each read once', async (t) => {
  const { calls, invalidator } = stage(false)
  for (let count = 0; count < 50; count++) invalidator.add([['overview'], ['incidents', 'list']])
  await sleep(300)
  t.same(calls, [
    { queryKey: ['overview'], refetchType: 'active' },
    { queryKey: ['incidents', 'list'], refetchType: 'active' },
  ])
  invalidator.add([['overview']])
  await sleep(300)
  t.equal(calls.length, 2, 'the next repetition is at least a second later')
  invalidator.stop()
})

t.test('a hidden tab only marks its reads as stale', async (t) => {
  const { calls, invalidator } = stage(true)
  invalidator.add([['overview']])
  await sleep(300)
  t.same(calls, [{ queryKey: ['overview'], refetchType: 'none' }])
})
