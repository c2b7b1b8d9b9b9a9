/** Whose turn it is at which host, and who waits for nobody. */
import t from 'tap'
import { Lanes } from './host-queues.ts'

const limits = { places: 4, perHost: 2, hanging: 3, hangingPerHost: 2, hangsAfterMs: 250 }

const lanesWith = (...offered: readonly string[]) => {
  const lanes = new Lanes<string>(limits)
  for (const name of offered) lanes.offer(name, name.slice(0, 1), 0)
  return lanes
}

/** All that go at this moment. */
const takeAll = (lanes: Lanes<string>, nowMs: number) => {
  const tickets = []
  for (let next = lanes.take(nowMs); next !== null; next = lanes.take(nowMs)) tickets.push(next)
  return tickets
}

const names = (tickets: readonly { item: string }[]) => tickets.map(({ item }) => item)

t.test('hosts take turns, each with so many at once and all with so many together', async (t) => {
  const lanes = lanesWith('a1', 'a2', 'a3', 'b1', 'b2', 'c1')
  const tickets = takeAll(lanes, 0)
  t.same(names(tickets), ['a1', 'b1', 'c1', 'a2'])
  t.same([lanes.waiting, lanes.onTheWay], [2, 4])
  for (const ticket of tickets) lanes.giveBack(ticket)
  t.same(names(takeAll(lanes, 1)), ['b2', 'a3'])
  t.equal(lanes.waiting, 0)
})

t.test('what hangs makes room for others, at its own host too, until too many do', async (t) => {
  const lanes = lanesWith('a1', 'a2', 'a3', 'a4', 'a5')
  const hanging = takeAll(lanes, 0)
  t.same(names(hanging), ['a1', 'a2'])
  t.same(takeAll(lanes, 249), [])
  t.same(names(takeAll(lanes, 250)), ['a3', 'a4'])
  t.equal(lanes.isStuck('a'), true)
  t.equal(lanes.isStuck('b'), false)
  t.same(takeAll(lanes, 10_000), [], 'the host takes no more that hang')
  t.same([lanes.quick, lanes.onTheWay], [2, 4])
  for (const ticket of hanging) lanes.giveBack(ticket)
  t.same(names(takeAll(lanes, 10_001)), ['a5'])
})

t.test('beyond those that may hang in all, one that does counts as any other', async (t) => {
  const lanes = lanesWith('a1', 'a2', 'b1', 'b2', 'c1', 'c2', 'd1', 'd2')
  takeAll(lanes, 0)
  takeAll(lanes, 250)
  t.equal(lanes.onTheWay - lanes.quick, limits.hanging)
  t.equal(lanes.quick, limits.places)
  t.equal(lanes.waiting, 1)
})

t.test('where none is set apart, a full host is busy and no more', async (t) => {
  const lanes = new Lanes<string>({ ...limits, hanging: 0, hangingPerHost: 0 })
  for (const name of ['a1', 'a2', 'a3', 'b1']) lanes.offer(name, name.slice(0, 1), 0)
  t.same(names(takeAll(lanes, 0)), ['a1', 'b1', 'a2'])
  t.same(takeAll(lanes, 10_000), [])
  t.equal(lanes.isStuck('a'), false)
})

t.test('what has waited too long for its host is taken out, and nothing else', async (t) => {
  const lanes = lanesWith('a1', 'a2', 'a3')
  lanes.offer('a4', 'a', 4_000)
  takeAll(lanes, 0)
  t.same(lanes.takeOverdue(5_000, 5_000), ['a3'])
  t.equal(lanes.waiting, 1)
  t.same(lanes.takeOverdue(5_000, 0), ['a4'])
  t.equal(lanes.waiting, 0)
})

t.test('what has waited too long never goes, and those behind it do', async (t) => {
  const lanes = lanesWith('a1', 'b1')
  lanes.offer('a2', 'a', 4_000)
  t.equal(lanes.take(5_000, 5_000)?.item, 'a2')
  t.equal(lanes.take(5_000, 5_000), null)
  t.same(lanes.takeOverdue(5_000, 5_000).sort(), ['a1', 'b1'])
  t.equal(lanes.waiting, 0)
})
