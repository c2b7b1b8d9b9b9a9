/** Host queues alternate between hosts, and slow hosts delay no other. */
import t from 'tap'
import { type HostQueueOptions, HostQueues, type HostSlot } from './host-queues.ts'

const limits = { maxInFlight: 4, maxPerHost: 2, maxSlow: 3, maxSlowPerHost: 2, slowAfterMs: 250 }

interface Work {
  name: string
  host: string
  group?: string
  isUrgent?: boolean
}

const create = (options: Partial<HostQueueOptions<Work>> = {}) =>
  new HostQueues<Work>({ ...limits, ...options })

/** Queues of items whose host is the first letter of their name. */
const queuesWith = (names: readonly string[], options: Partial<HostQueueOptions<Work>> = {}) => {
  const queues = create(options)
  for (const name of names) queues.enqueue({ name, host: name.slice(0, 1) }, 0)
  return queues
}

/** Takes all items that may be sent at this moment. */
const takeAll = (queues: HostQueues<Work>, nowMs: number) => {
  const slots = []
  for (let next = queues.takeNext(nowMs); next !== null; next = queues.takeNext(nowMs))
    slots.push(next)
  return slots
}

const names = (slots: readonly HostSlot<Work>[]) => slots.map(({ item }) => item.name)

t.test('hosts alternate within the limit per host and the total limit', async (t) => {
  const queues = queuesWith(['a1', 'a2', 'a3', 'b1', 'b2', 'c1'])
  const tickets = takeAll(queues, 0)
  t.same(names(tickets), ['a1', 'b1', 'c1', 'a2'])
  t.same([queues.waiting, queues.active], [2, 4])
  for (const slot of tickets) queues.release(slot)
  t.same(names(takeAll(queues, 1)), ['b2', 'a3'])
  t.equal(queues.waiting, 0)
})

t.test(
  'a slow request frees its slot, also at its own host, up to the limit of slow requests',
  async (t) => {
    const queues = queuesWith(['a1', 'a2', 'a3', 'a4', 'a5'])
    const slow = takeAll(queues, 0)
    t.same(names(slow), ['a1', 'a2'])
    t.same(takeAll(queues, 249), [])
    t.same(names(takeAll(queues, 250)), ['a3', 'a4'])
    t.equal(queues.isSaturated('a'), true)
    t.equal(queues.isSaturated('b'), false)
    t.same(takeAll(queues, 10_000), [], 'the host accepts no more slow requests')
    t.same([queues.active, queues.slow], [2, 2])
    for (const slot of slow) queues.release(slot)
    t.same(names(takeAll(queues, 10_001)), ['a5'])
  },
)

t.test('beyond the total limit of slow requests a slow request counts as any other', async (t) => {
  const queues = queuesWith(['a1', 'a2', 'b1', 'b2', 'c1', 'c2', 'd1', 'd2'])
  takeAll(queues, 0)
  takeAll(queues, 250)
  t.equal(queues.slow, limits.maxSlow)
  t.equal(queues.active, limits.maxInFlight)
  t.equal(queues.waiting, 1)
})

t.test('without a limit of slow requests a full host is not saturated', async (t) => {
  const queues = queuesWith(['a1', 'a2', 'a3', 'b1'], { maxSlow: 0, maxSlowPerHost: 0 })
  t.same(names(takeAll(queues, 0)), ['a1', 'b1', 'a2'])
  t.same(takeAll(queues, 10_000), [])
  t.equal(queues.isSaturated('a'), false)
})

t.test('messages that waited too long for their host are removed, and no others', async (t) => {
  const queues = queuesWith(['a1', 'a2', 'a3'])
  queues.enqueue({ name: 'a4', host: 'a' }, 4_000)
  takeAll(queues, 0)
  t.match(queues.takeOverdue(5_000, 5_000), [{ name: 'a3' }])
  t.equal(queues.waiting, 1)
  t.match(queues.takeOverdue(5_000, 0), [{ name: 'a4' }])
  t.equal(queues.waiting, 0)
})

t.test('messages that waited too long are not sent, and those behind them are', async (t) => {
  const queues = queuesWith(['a1', 'b1'])
  queues.enqueue({ name: 'a2', host: 'a' }, 4_000)
  t.equal(queues.takeNext(5_000, 5_000)?.item.name, 'a2')
  t.equal(queues.takeNext(5_000, 5_000), null)
  t.match(queues.takeOverdue(5_000, 5_000), [{ name: 'a1' }, { name: 'b1' }])
  t.equal(queues.waiting, 0)
})

const groupOf = ({ group = 'a' }: Work) => group

t.test('groups alternate, whatever the length of their queues', async (t) => {
  const queues = create({ groupOf, maxInFlight: 100 })
  for (const name of ['1', '2', '3']) queues.enqueue({ name, host: name }, 0)
  for (const group of ['b', 'c']) queues.enqueue({ name: group, host: group, group }, 0)
  t.same(names(takeAll(queues, 0)), ['1', 'b', 'c', '2', '3'])
})

t.test('urgent items of a group go first', async (t) => {
  const queues = create({ groupOf, isUrgent: (item) => item.isUrgent === true })
  queues.enqueue({ name: 'other', host: 'a' }, 0)
  queues.enqueue({ name: 'urgent', host: 'b', isUrgent: true }, 0)
  t.same(names(takeAll(queues, 0)), ['urgent', 'other'])
})

t.test('a full host blocks only its own items, which go first when it has a slot', async (t) => {
  const queues = create({ groupOf, maxInFlight: 100 })
  for (const name of ['1', '2', '3', '4']) queues.enqueue({ name, host: 'full' }, 0)
  queues.enqueue({ name: 'other', host: 'other' }, 0)
  const [first, second, other] = takeAll(queues, 0)
  t.same(
    [first, second, other].map((slot) => slot?.item.name),
    ['1', '2', 'other'],
  )
  queues.enqueue({ name: 'later', host: 'later' }, 0)
  for (const slot of [first, second]) if (slot !== undefined) queues.release(slot)
  t.same(names(takeAll(queues, 1)), ['3', '4', 'later'])
  t.equal(queues.waiting, 0)
})
