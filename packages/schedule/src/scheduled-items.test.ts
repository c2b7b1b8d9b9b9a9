/** Set of scheduled items: loads, changes, comparison and slots that are caught up, in memory. */
import { randomUUID } from 'node:crypto'
import { mock } from 'node:test'
import { eventually, manualClock } from '@status-page/testing'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import {
  createWheel,
  type LoadedItem,
  type ScheduledItem,
  ScheduledItems,
  ScheduleState,
  SHARD_COUNT,
  shardOf,
  slotAt,
  type WantedItems,
} from './index.ts'

const MINUTE = 60_000

interface Row extends LoadedItem {
  version: number
  parent?: string
}

class Item extends ScheduleState implements ScheduledItem<Row> {
  row: Row
  readonly organizationId = 'organization'
  readonly host = 'host'
  readonly isUrgent = false

  constructor(row: Row) {
    super()
    this.row = row
  }

  get id() {
    return this.row.id
  }
  get shard() {
    return this.row.shard
  }
  get intervalMs() {
    return this.row.intervalMs
  }
  get version() {
    return this.row.version
  }

  update(row: Row): void {
    this.row = row
  }
}

/** Returns ids in different shards whose newest slots are half a minute old. */
const idsAt = (now: number, count: number): string[] => {
  const ids = new Map<number, string>()
  while (ids.size < count) {
    const id = randomUUID()
    if (Math.abs(now - slotAt(id, MINUTE, now) - MINUTE / 2) < 5000) ids.set(shardOf(id), id)
  }
  return [...ids.values()].toSorted((left, right) => shardOf(left) - shardOf(right))
}

const rowOf = (id: string): Row => ({ id, shard: shardOf(id), intervalMs: MINUTE, version: 1 })

const setup = (
  t: Test,
  count: number,
  given: {
    idsOf?: boolean
    compareBatch?: number
    ids?: string[]
    isNew?: boolean
    startMs?: number
  } = {},
) => {
  const clock = manualClock(given.startMs)
  const ids = given.ids ?? idsAt(clock.now(), count)
  const rows = new Map(ids.map((id) => [id, rowOf(id)]))
  const stored = new Set<string>()
  const [lost, lostInComparison] = [new Set<number>(), new Set<number>()]
  const calls: string[] = []
  const fired: [id: string, slotMs: number][] = []
  const failures = { left: 0 }
  const stall = { ms: 0 }
  const now = () => clock.now() + stall.ms
  const wheel = createWheel({ now, after: clock.after })
  t.teardown(() => wheel.stop())
  const items = new ScheduledItems<Row, Item>({
    wheel,
    logger: pino({ level: 'silent' }),
    shards: { now, epochOf: (shard) => (lost.has(shard) ? 0 : 1) },
    fire: (item) => fired.push([item.id, item.firedSlotMs]),
    ...(given.compareBatch === undefined ? {} : { compareBatch: given.compareBatch }),
    source: {
      name: 'items',
      async load(wanted: WantedItems) {
        calls.push('shards' in wanted ? `${wanted.shards.length} shards` : 'ids')
        if (failures.left-- > 0) throw new Error('no database')
        const isWanted = ({ id, shard, parent = '' }: Row) =>
          'shards' in wanted
            ? wanted.shards.includes(shard)
            : wanted.ids.includes(id) || wanted.ids.includes(parent)
        return [...rows.values()].filter(isWanted)
      },
      async loadVersions(shards) {
        calls.push('versions')
        for (const shard of shards) if (lostInComparison.has(shard)) lost.add(shard)
        const some = [...rows.values()].filter(({ shard }) => shards.includes(shard))
        return new Map(some.map(({ id, version }) => [id, version]))
      },
      async findLastSlots(loaded, nowMs) {
        if (given.isNew === true) return new Map()
        return new Map(
          loaded.map(({ id, intervalMs }) => {
            const latest = slotAt(id, intervalMs, nowMs)
            return [id, stored.has(id) ? latest : latest - intervalMs]
          }),
        )
      },
      maxRunMs: () => 5000,
      create: (row) => new Item(row),
      ...(given.idsOf === true
        ? {
            idsOf: (id: string, all: Iterable<Item>) => [
              id,
              ...Iterator.from(all)
                .filter(({ row }) => row.parent === id)
                .map((item) => item.id),
            ],
          }
        : {}),
    },
  })
  t.teardown(() => items.stop())
  const acquire = async (silentSinceMs: (id: string) => number | null = () => null) => {
    items.acquire(ids.map((id) => ({ shard: shardOf(id), silentSinceMs: silentSinceMs(id) })))
    await items.settled()
  }
  return {
    clock,
    stall,
    ids,
    rows,
    stored,
    lost,
    lostInComparison,
    calls,
    fired,
    failures,
    items,
    acquire,
  }
}

t.test('a slot of a failed replica is caught up unless it may have been run', async (t) => {
  /** Last renewal of the previous holder relative to the slot, and whether a result is stored. */
  const table = {
    'left in order': { silent: null, isMadeUp: true },
    'silent long before the slot': { silent: -10_000, isMadeUp: true },
    'silent at the slot': { silent: 0, isMadeUp: false },
    'silent just before the slot': { silent: -1500, isMadeUp: false },
    'silent before it could store the slot': { silent: 1500, isMadeUp: false },
    'silent while a long run may be in flight': { silent: 6000, isMadeUp: false },
    'silent long after the slot, without a result of it': { silent: 10_000, isMadeUp: true },
    'silent long after the slot, with a result': { silent: 10_000, isStored: true },
  }
  const cases = Object.values(table)
  const { ids, clock, stored, fired, acquire } = setup(t, cases.length)
  const before = new Map(ids.map((id) => [id, slotAt(id, MINUTE, clock.now())]))
  for (const [index, given] of cases.entries())
    if ('isStored' in given) stored.add(ids[index] ?? '')
  await acquire((id) => {
    const { silent = null } = cases[ids.indexOf(id)] ?? {}
    return silent === null ? null : (before.get(id) ?? 0) + silent
  })
  clock.advance(3000)
  const slotsOf = (id: string) => fired.filter(([one]) => one === id).map(([, slotMs]) => slotMs)
  for (const [index, [name, given]] of Object.entries(table).entries()) {
    const id = ids[index] as string
    t.same(slotsOf(id), 'isMadeUp' in given && given.isMadeUp ? [before.get(id)] : [], name)
  }
  clock.advance(MINUTE)
  for (const [index, name] of Object.keys(table).entries()) {
    const id = ids[index] as string
    t.equal(slotsOf(id).at(-1), (before.get(id) ?? 0) + MINUTE, `the next slot after: ${name}`)
  }
})

t.test('after a stall an item runs its newest slot once', async (t) => {
  const { ids, clock, stall, fired, acquire, stored } = setup(t, 1)
  stored.add(ids[0] as string)
  await acquire()
  const first = slotAt(ids[0] as string, MINUTE, clock.now())
  stall.ms = 10 * MINUTE
  clock.advance(1000)
  t.same(fired, [[ids[0], first + 10 * MINUTE]])
})

t.test('shards are loaded a few at a time; a failed load is repeated', async (t) => {
  const { items, acquire, calls, failures, lost, ids } = setup(t, 10)
  lost.add(shardOf(ids[9] as string))
  failures.left = 1
  await acquire()
  t.same(calls, ['4 shards', '4 shards', '1 shards'], 'without a shard lost in between')
  t.equal(items.size, 5)
  await eventually(() => items.size === 9)
})

t.test('a change is reloaded; a deleted item and items of its parent are removed', async (t) => {
  const { items, rows, ids, acquire, failures } = setup(t, 4, { idsOf: true })
  const [changed, deleted, ...children] = ids as [string, string, string, string]
  for (const id of children) rows.set(id, { ...rowOf(id), parent: 'parent' })
  await acquire()
  const item = items.get(changed)
  rows.set(changed, { ...rowOf(changed), version: 2 })
  rows.delete(deleted)
  for (const id of children) rows.delete(id)
  failures.left = 1
  for (const id of [changed, deleted, 'parent']) items.refresh(id)
  await eventually(() => items.size === 1)
  t.equal(items.get(changed), item, 'the item stays')
  t.equal(item?.version, 2)
  for (const id of children) rows.set(id, { ...rowOf(id), parent: 'parent' })
  items.refresh('parent')
  await eventually(() => items.size === 3)
})

t.test('a failed reload is repeated after a second', async (t) => {
  const { items, rows, ids, acquire, calls, failures } = setup(t, 1)
  const [changed] = ids as [string]
  await acquire()
  rows.set(changed, { ...rowOf(changed), version: 2 })
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const reloads = () => calls.filter((call) => call === 'ids').length
  const advance = async (ms: number) => {
    mock.timers.tick(ms)
    await items.settled()
  }
  failures.left = 2
  items.refresh(changed)
  await advance(50)
  t.equal(reloads(), 1)
  await advance(999)
  t.equal(reloads(), 1)
  await advance(1)
  t.equal(reloads(), 2)
  await advance(1000)
  t.equal(items.get(changed)?.version, 2)
  await advance(1000)
  t.equal(reloads(), 3)
})

t.test('changes without a notification are found for any batch size', async (t) => {
  const { items, rows, ids, acquire, lostInComparison, calls } = setup(t, 5, { compareBatch: 1 })
  await acquire()
  t.equal(await items.compare(), 0, 'nothing has changed')
  t.ok(calls.filter((call) => call === 'versions').length >= 5, 'in batches')

  const [, changed, deleted, released, added] = ids as [string, string, string, string, string]
  rows.set(changed, { ...rowOf(changed), version: 2 })
  rows.set(released, { ...rowOf(released), version: 2 })
  rows.delete(deleted)
  rows.delete(added)
  items.refresh(added)
  await eventually(() => items.get(added) === undefined)
  rows.set(added, rowOf(added))
  lostInComparison.add(shardOf(released))
  t.equal(await items.compare(), 3, 'the item of a released shard is left out')
  await t.resolves(
    eventually(() => items.get(changed)?.version === 2 && items.get(added) !== undefined),
    'they are loaded again',
  )
  t.equal(items.get(deleted), undefined)

  const stopping = new AbortController()
  const cutShort = items.compare(stopping.signal)
  stopping.abort()
  await t.rejects(cutShort, { name: 'AbortError' }, 'a stop does not wait for the other pages')
})

t.test('released items fire no more', async (t) => {
  const { items, ids, acquire, fired, clock } = setup(t, 2)
  await acquire()
  clock.advance(3000)
  t.equal(fired.length, 2)
  const [first] = ids as [string, string]
  items.release([shardOf(first)])
  clock.advance(MINUTE)
  t.equal(fired.filter(([id]) => id === first).length, 1)
  t.equal(fired.length, 3)
})

t.test('slots of the first interval are spread, with at most one caught up per ms', async (t) => {
  const COUNT = 20_000
  const all = Array.from({ length: COUNT }, () => randomUUID())
  const { clock, fired, items } = setup(t, COUNT, { ids: all })
  items.acquire(Array.from({ length: SHARD_COUNT }, (_, shard) => ({ shard, silentSinceMs: null })))
  await items.settled()
  const perSecond = Array.from({ length: MINUTE / 1000 }, () => {
    fired.length = 0
    clock.advance(1000)
    return fired.length
  })
  const regular = COUNT / perSecond.length
  const created = perSecond.reduce((sum, count) => sum + count, 0)
  t.ok(created > COUNT * 1.5, 'most missed slots are caught up')
  t.ok(Math.max(...perSecond) < 1.25 * (regular + 1000))
  t.ok(Math.min(...perSecond) > 0.75 * regular)
})

t.test('many items that never ran are spread over their interval or two minutes', async (t) => {
  const COUNT = 20_000
  const FEW = 2500
  const HOUR_START_MS = Date.UTC(2026, 0, 2, 3)
  for (const intervalMs of [MINUTE, 2 * MINUTE, 60 * MINUTE]) {
    const all = Array.from({ length: COUNT }, () => randomUUID())
    const { clock, fired, items, rows } = setup(t, COUNT, {
      ids: all,
      isNew: true,
      // Before the end of an hour, the next slots of some items precede the time of their spread.
      startMs: HOUR_START_MS,
    })
    for (const id of all) rows.set(id, { ...rowOf(id), intervalMs })
    items.acquire(
      Array.from({ length: SHARD_COUNT }, (_, shard) => ({ shard, silentSinceMs: null })),
    )
    await items.settled()
    const spreadMs = Math.min(intervalMs, 2 * MINUTE)
    const [first = 0, ...others] = Array.from({ length: 10 }, () => {
      fired.length = 0
      clock.advance(spreadMs / 10)
      return fired.length
    })
    const share = COUNT / 10
    t.ok(first > FEW / 2 && first < share + FEW, `${intervalMs} ms: the first few run at once`)
    t.ok(Math.max(...others) < 1.2 * share, `${intervalMs} ms: no burst`)
    t.ok(Math.min(...others) > 0.7 * share, `${intervalMs} ms: no gap`)
  }
})
