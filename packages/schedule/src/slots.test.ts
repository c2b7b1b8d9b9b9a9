/** Slots: every replica computes the same, and they spread evenly. */
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { maxShardsPerReplica, nextSlot, phaseMs, SHARD_COUNT, shardOf, slotAt } from './slots.ts'

const id = fc.uuid()
const intervalMs = fc.integer({ min: 10, max: 86_400 }).map((seconds) => seconds * 1000)
const timeMs = fc.integer({ min: 0, max: 4_000_000_000_000 })

t.test('shards and phases are constant: they are stored with their rows', async (t) => {
  const table = [
    ['01920000-0000-7000-8000-000000000001', 210, 30_377],
    ['01920000-0000-7000-8000-000000000002', 190, 25_865],
    ['0192f3a4-5b6c-7d8e-9f00-112233445566', 145, 53_260],
  ] as const
  for (const [target, shard, phase] of table) {
    t.equal(shardOf(target), shard, target)
    t.equal(phaseMs(target, 60_000), phase, target)
  }
})

t.test('a slot is the newest that is not after the time', async () => {
  fc.assert(
    fc.property(id, intervalMs, timeMs, (target, interval, time) => {
      const slot = slotAt(target, interval, time)
      return slot <= time && time < slot + interval
    }),
  )
})

t.test('the slot of a slot is itself, and the next is one interval on', async () => {
  fc.assert(
    fc.property(id, intervalMs, timeMs, (target, interval, time) => {
      const slot = slotAt(target, interval, time)
      return (
        slotAt(target, interval, slot) === slot &&
        nextSlot(target, interval, time) === slot + interval &&
        nextSlot(target, interval, slot) > slot
      )
    }),
  )
})

t.test('nextSlot visits each slot once, from any start', async () => {
  fc.assert(
    fc.property(id, intervalMs, timeMs, fc.nat(20), (target, interval, time, steps) => {
      let slot = slotAt(target, interval, time)
      for (let step = 0; step < steps; step += 1) slot = nextSlot(target, interval, slot)
      return slot === slotAt(target, interval, time + steps * interval)
    }),
  )
})

t.test('shards and phases are within their bounds', async () => {
  fc.assert(
    fc.property(id, intervalMs, (target, interval) => {
      const phase = phaseMs(target, interval)
      return shardOf(target) < SHARD_COUNT && phase >= 0 && phase < interval
    }),
  )
})

t.test('targets spread evenly over shards, and within one shard over the interval', async (t) => {
  const prefix = randomUUID().slice(0, 24)
  const count = 51_200
  const targets = Array.from({ length: count }, (_, index) =>
    prefix.concat(index.toString(16).padStart(12, '0')),
  )
  const perShard = new Array<number>(SHARD_COUNT).fill(0)
  const perSecond = new Array<number>(60).fill(0)
  for (const target of targets) {
    const shard = shardOf(target)
    perShard[shard] = (perShard[shard] ?? 0) + 1
    const second = Math.floor(phaseMs(target, 60_000) / 1000)
    if (shard < 64) perSecond[second] = (perSecond[second] ?? 0) + 1
  }
  t.ok(Math.max(...perShard) < 1.5 * (count / SHARD_COUNT), 'no shard is crowded')
  t.ok(Math.min(...perShard) > 0.5 * (count / SHARD_COUNT), 'no shard is empty')
  t.ok(Math.max(...perSecond) < 1.5 * (count / 4 / 60), 'no second is crowded')
})

t.test('fair shares cover all shards', async (t) => {
  const table = [
    [1, 256],
    [2, 128],
    [3, 86],
    [5, 52],
    [300, 1],
    [0, 256],
  ] as const
  for (const [live, share] of table) t.equal(maxShardsPerReplica(live), share, `${live} replicas`)
})
