/** The scheduler on a real Postgres, with a manual clock and one item. */
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { connect, type Database } from '@status-page/postgres'
import { eventually, LONG_LEASES, manualClock, testDatabase } from '@status-page/testing'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import {
  type LoadedItem,
  type ScheduledItem,
  Scheduler,
  type SchedulerOptions,
  ScheduleState,
  SHARD_COUNT,
  shardOf,
  slotAt,
} from './index.ts'

// Keeps the test server running for the whole file; releasing the last database stops it.
await testDatabase(t, { services: [] })

const MINUTE = 60_000
const CHANNEL = 'item_changed'
const tablesFile = new URL('../migrations/shards.sql', import.meta.url)

class Item extends ScheduleState implements ScheduledItem<LoadedItem> {
  readonly organizationId = 'organization'
  readonly host = 'host'
  readonly isUrgent = false
  readonly version = 1
  readonly id: string
  readonly shard: number
  readonly intervalMs: number

  constructor({ id, shard, intervalMs }: LoadedItem) {
    super()
    this.id = id
    this.shard = shard
    this.intervalMs = intervalMs
  }

  update(): void {}
}

type Options = SchedulerOptions<LoadedItem, Item, number>

const limits = {
  maxInFlight: 1,
  maxPerHost: 1,
  maxSlow: 0,
  maxSlowPerHost: 0,
  slowAfterMs: 60_000,
}

/** Longer than the time in which a missed slot is caught up. */
const CATCH_UP_MS = 3_000

/** Id of an item whose next slot is not in the time in which the tests expect the missed one only. */
const idBetweenSlots = (nowMs: number): string => {
  const id = randomUUID()
  const isBetween = slotAt(id, MINUTE, nowMs) === slotAt(id, MINUTE, nowMs + CATCH_UP_MS)
  return isBetween ? id : idBetweenSlots(nowMs)
}

const setup = async (t: Test, run: Options['run'], results: Partial<Options['results']> = {}) => {
  const { adminUrl } = await testDatabase(t, { services: [] })
  const database: Database = await connect({ url: adminUrl, service: 'monitor' })
  t.teardown(() => database.close())
  await database.batchSql.unsafe(await readFile(tablesFile, 'utf8'))
  const clock = manualClock()
  const rows: LoadedItem[] = []
  const add = () => {
    const id = idBetweenSlots(clock.now())
    rows.push({ id, shard: shardOf(id), intervalMs: MINUTE })
    return id
  }
  const skipped: string[] = []
  const stored: number[] = []
  const failed: unknown[] = []
  const scheduler = new Scheduler<LoadedItem, Item, number>({
    database,
    logger: pino({ level: 'silent' }),
    clock,
    leases: LONG_LEASES,
    changeChannel: CHANNEL,
    limits,
    onLag: () => {},
    onSkipped: (reason, count) => skipped.push(...Array(count).fill(reason)),
    onFailed: (_, error) => failed.push(error),
    run,
    source: {
      name: 'items',
      load: async (wanted) =>
        rows.filter(({ id, shard }) =>
          'shards' in wanted ? wanted.shards.includes(shard) : wanted.ids.includes(id),
        ),
      loadVersions: async () => new Map(rows.map(({ id }) => [id, 1])),
      findLastSlots: async () => new Map(),
      maxRunMs: () => 0,
      create: (loaded) => new Item(loaded),
    },
    results: {
      name: 'results',
      flushMs: 600_000,
      batchSize: 10,
      maxBuffered: 100,
      groupOf: () => 'group',
      isUrgent: () => false,
      createPartitions: async () => {},
      onRefused: () => {},
      store: async (entries, done) => {
        stored.push(...entries)
        for (const entry of entries) done(entry)
      },
      ...results,
    },
  })
  t.teardown(() => scheduler.stop())
  const start = async () => {
    await scheduler.start()
    await eventually(() => scheduler.gauges().shards === SHARD_COUNT)
    // The items of a shard are loaded after it is held.
    await eventually(() => scheduler.gauges().items === rows.length)
    await scheduler.items.settled()
  }
  return { database, scheduler, clock, rows, add, start, skipped, stored, failed }
}

t.test('a slot due in flight is skipped; of queued slots of an item the newest runs', async (t) => {
  const gate = Promise.withResolvers<void>()
  const runs: [id: string, slotMs: number][] = []
  const { clock, add, start, skipped } = await setup(t, async ({ item }, slotMs) => {
    runs.push([item.id, slotMs])
    await gate.promise
    return null
  })
  const ids = [add(), add()]
  await start()
  clock.advance(2000)
  await eventually(() => runs.length === 1)
  const [[running] = []] = runs
  const queued = ids.find((id) => id !== running) as string
  clock.advance(2 * MINUTE)
  t.same(skipped.toSorted(), ['coalesced', 'coalesced', 'in_flight', 'in_flight'])
  gate.resolve()
  await eventually(() => runs.length === 2)
  t.same(runs[1], [queued, slotAt(queued, MINUTE, clock.now())])
})

t.test('an internal error of one slot is reported, and the next slots run', async (t) => {
  let isBroken = true
  const { clock, add, start, skipped, failed, scheduler, stored } = await setup(t, async () => {
    if (isBroken) throw new Error('broken')
    return 1
  })
  add()
  await start()
  clock.advance(2000)
  await eventually(() => failed.length === 1)
  t.same(skipped, ['error'])
  isBroken = false
  await eventually(() => {
    // A slot is skipped while a renewal of the lease is late.
    clock.advance(MINUTE)
    return scheduler.gauges().buffered > 0
  })
  await scheduler.flush()
  t.ok(stored.length > 0)
})

t.test('an urgent result and a full batch are stored at once', async (t) => {
  let next = 0
  const isUrgent = (result: number) => result === 2
  const { clock, add, start, stored, scheduler } = await setup(t, async () => ++next, {
    isUrgent,
    batchSize: 3,
  })
  add()
  await start()
  clock.advance(2000)
  await eventually(() => scheduler.gauges().buffered === 1)
  t.same(stored, [])
  for (let slot = 2; slot <= 5; slot += 1) {
    clock.advance(MINUTE)
    await eventually(() => next === slot && scheduler.gauges().inFlight === 0)
    if (slot === 2) await eventually(() => stored.length === 2)
  }
  await eventually(() => stored.length === 5)
})

t.test('a stop waits for slots in flight, stores their results and starts no other', async (t) => {
  const gate = Promise.withResolvers<void>()
  const { clock, add, start, stored, skipped, scheduler } = await setup(t, async () => {
    await gate.promise
    return 7
  })
  add()
  add()
  await start()
  clock.advance(2000)
  await eventually(() => scheduler.gauges().waiting === 1)
  const stopped = scheduler.stop()
  t.equal(scheduler.stop(), stopped, 'a second stop is the same')
  await Promise.race([stopped, delay(200)])
  t.equal(scheduler.gauges().shards, SHARD_COUNT, 'the shards are held until then')
  gate.resolve()
  await stopped
  t.same(stored, [7])
  // A slot that falls into the first two seconds coalesces with the one that is waiting.
  t.same(
    skipped.filter((reason) => reason !== 'coalesced'),
    ['lease_lost'],
  )
  const { items, shards, waiting } = scheduler.gauges()
  t.same({ items, shards, waiting }, { items: 0, shards: 0, waiting: 0 })
})

t.test('a notification loads a new item', async (t) => {
  const { add, start, scheduler, database } = await setup(t, async () => null)
  await start()
  const id = add()
  await database.batchSql`SELECT pg_notify(${CHANNEL}, ${id})`
  await eventually(() => scheduler.items.get(id) !== undefined)
})
