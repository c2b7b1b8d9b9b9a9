/** Host queues alternate between hosts, and slow hosts delay no other. */
import t from 'tap'
import { HostQueues } from './host-queues.ts'

const limits = { maxInFlight: 4, maxPerHost: 2, maxSlow: 3, maxSlowPerHost: 2, slowAfterMs: 250 }

const lanesWith = (...offered: readonly string[]) => {
  const queues = new HostQueues<string>(limits)
  for (const name of offered) queues.enqueue(name, name.slice(0, 1), 0)
  return queues
}

/** Takes all messages that may be sent at this moment. */
const takeAll = (queues: HostQueues<string>, nowMs: number) => {
  const tickets = []
  for (let next = queues.takeNext(nowMs); next !== null; next = queues.takeNext(nowMs))
    tickets.push(next)
  return tickets
}

const names = (tickets: readonly { item: string }[]) => tickets.map(({ item }) => item)

t.test('hosts alternate within the limit per host and the total limit', async (t) => {
  const queues = lanesWith('a1', 'a2', 'a3', 'b1', 'b2', 'c1')
  const tickets = takeAll(queues, 0)
  t.same(names(tickets), ['a1', 'b1', 'c1', 'a2'])
  t.same([queues.waiting, queues.inFlight], [2, 4])
  for (const slot of tickets) queues.release(slot)
  t.same(names(takeAll(queues, 1)), ['b2', 'a3'])
  t.equal(queues.waiting, 0)
})

t.test(
  'a slow request frees its slot, also at its own host, up to the limit of slow requests',
  async (t) => {
    const queues = lanesWith('a1', 'a2', 'a3', 'a4', 'a5')
    const maxSlow = takeAll(queues, 0)
    t.same(names(maxSlow), ['a1', 'a2'])
    t.same(takeAll(queues, 249), [])
    t.same(names(takeAll(queues, 250)), ['a3', 'a4'])
    t.equal(queues.isSaturated('a'), true)
    t.equal(queues.isSaturated('b'), false)
    t.same(takeAll(queues, 10_000), [], 'the host accepts no more slow requests')
    t.same([queues.active, queues.inFlight], [2, 4])
    for (const slot of maxSlow) queues.release(slot)
    t.same(names(takeAll(queues, 10_001)), ['a5'])
  },
)

t.test('beyond the total limit of slow requests a slow request counts as any other', async (t) => {
  const queues = lanesWith('a1', 'a2', 'b1', 'b2', 'c1', 'c2', 'd1', 'd2')
  takeAll(queues, 0)
  takeAll(queues, 250)
  t.equal(queues.inFlight - queues.active, limits.maxSlow)
  t.equal(queues.active, limits.maxInFlight)
  t.equal(queues.waiting, 1)
})

t.test('without a limit of slow requests a full host is not saturated', async (t) => {
  const queues = new HostQueues<string>({ ...limits, maxSlow: 0, maxSlowPerHost: 0 })
  for (const name of ['a1', 'a2', 'a3', 'b1']) queues.enqueue(name, name.slice(0, 1), 0)
  t.same(names(takeAll(queues, 0)), ['a1', 'b1', 'a2'])
  t.same(takeAll(queues, 10_000), [])
  t.equal(queues.isSaturated('a'), false)
})

t.test('messages that waited too long for their host are removed, and no others', async (t) => {
  const queues = lanesWith('a1', 'a2', 'a3')
  queues.enqueue('a4', 'a', 4_000)
  takeAll(queues, 0)
  t.same(queues.takeOverdue(5_000, 5_000), ['a3'])
  t.equal(queues.waiting, 1)
  t.same(queues.takeOverdue(5_000, 0), ['a4'])
  t.equal(queues.waiting, 0)
})

t.test('messages that waited too long are not sent, and those behind them are', async (t) => {
  const queues = lanesWith('a1', 'b1')
  queues.enqueue('a2', 'a', 4_000)
  t.equal(queues.takeNext(5_000, 5_000)?.item, 'a2')
  t.equal(queues.takeNext(5_000, 5_000), null)
  t.same(queues.takeOverdue(5_000, 5_000).sort(), ['a1', 'b1'])
  t.equal(queues.waiting, 0)
})
