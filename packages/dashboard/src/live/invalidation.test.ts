/** Invalidation after events: once per burst, later in hidden tabs, never of what is absent. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '@status-page/client'
import { type InvalidateQueryFilters, QueryClient, QueryObserver } from '@tanstack/react-query'
import t from 'tap'
import { createInvalidator } from './invalidation.ts'

const stage = (isHidden: boolean) => {
  const calls: unknown[] = []
  const invalidateQueries = async ({ queryKey, refetchType }: InvalidateQueryFilters) =>
    void calls.push({ queryKey, refetchType })
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

t.test('a resource that does not exist is read once, others again', async (t) => {
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const reads: string[] = []
  const observe = (name: string, read: () => string) => {
    const queryFn = () => {
      reads.push(name)
      return read()
    }
    const observer = new QueryObserver(queryClient, { queryKey: ['incidents', name], queryFn })
    t.teardown(observer.subscribe(() => undefined))
  }
  const refuse = (status: number) => () => {
    throw new ApiError(status, { code: 'NOT_FOUND', message: 'refused' } as never)
  }
  observe('absent', refuse(404))
  observe('unavailable', refuse(503))
  observe('present', () => 'data')
  await sleep(50)
  const invalidator = createInvalidator(queryClient, () => false)
  invalidator.add([['incidents']])
  await sleep(300)
  t.same(reads.toSorted(), ['absent', 'present', 'present', 'unavailable', 'unavailable'])
  invalidator.stop()
  queryClient.clear()
})
