/** Shard leases among replicas on a real Postgres, with the times scaled down. */
import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { connect, type Database } from '@status-page/postgres'
import { eventually, testDatabase } from '@status-page/testing'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { createShards, type Shards, type ShardsOptions } from './shards.ts'
import { SHARD_COUNT } from './slots.ts'

const times = { ttlMs: 1500, renewMs: 200, marginMs: 300 }
const logger = pino({ level: 'silent' })
const replicaProgram = fileURLToPath(new URL('./shards.replica.ts', import.meta.url))
const tablesFile = new URL('../migrations/shards.sql', import.meta.url)

const setup = async (t: Test) => {
  const { adminUrl } = await testDatabase(t, { services: [] })
  const database = await connectTo(t, adminUrl)
  await database.batchSql.unsafe(await readFile(tablesFile, 'utf8'))
  return { url: adminUrl, database }
}

const connectTo = async (t: Test, url: string): Promise<Database> => {
  const database = await connect({ url, service: 'monitor' })
  t.teardown(() => database.close())
  return database
}

interface Replica {
  shards: Shards
  acquired: number[]
  released: number[]
}

const startReplica = async (
  t: Test,
  database: ShardsOptions['database'],
  options: Partial<ShardsOptions> = {},
): Promise<Replica> => {
  const acquired: number[] = []
  const released: number[] = []
  const shards = createShards({
    database,
    replicaId: randomUUID(),
    logger,
    onAcquired: (leases) => acquired.push(...leases.map(({ shard }) => shard)),
    onReleased: (lost) => void released.push(...lost),
    ...times,
    ...options,
  })
  await shards.start()
  t.teardown(() => shards.stop())
  return { shards, acquired, released }
}

/** Starts a replica as a process of its own; `sent` returns its first message with this key. */
const startProcess = (t: Test, url: string) => {
  const child = fork(replicaProgram, [url, randomUUID(), JSON.stringify(times)])
  t.teardown(() => child.kill('SIGKILL'))
  const messages: Record<string, number>[] = []
  child.on('message', (message: Record<string, number>) => messages.push(message))
  const sent = (key: string) => eventually(() => messages.find((message) => key in message)?.[key])
  return { kill: (signal: NodeJS.Signals) => child.kill(signal), messages, sent }
}

/** Compares the shards of all replicas at the same time, as long as the test runs. */
const watchForDoubles = (t: Test, replicas: Replica[]) => {
  let doubles = 0
  const timer = setInterval(() => {
    for (let shard = 0; shard < SHARD_COUNT; shard += 1) {
      if (replicas.filter(({ shards }) => shards.holds(shard)).length > 1) doubles += 1
    }
  }, 5)
  t.teardown(() => clearInterval(timer))
  return () => doubles
}

t.test('replicas share all shards evenly, none is held by two', async (t) => {
  const { database } = await setup(t)
  const replicas: Replica[] = []
  const doubles = watchForDoubles(t, replicas)
  replicas.push(await startReplica(t, database))
  t.equal(replicas[0]?.shards.held().length, SHARD_COUNT, 'the first takes all')
  replicas.push(await startReplica(t, database), await startReplica(t, database))
  await eventually(() => {
    const held = replicas.map(({ shards }) => shards.held().length)
    return `${held.toSorted()}` === '84,86,86'
  })
  t.equal(doubles(), 0)
})

t.test(
  'a replica that leaves in order hands its shards over before their leases end',
  async (t) => {
    const { database } = await setup(t)
    const long = { ttlMs: 60_000, renewMs: 200 }
    const replicas = [await startReplica(t, database, long), await startReplica(t, database, long)]
    const doubles = watchForDoubles(t, replicas)
    const [first, second] = replicas as [Replica, Replica]
    await eventually(() => second.shards.held().length === SHARD_COUNT / 2)
    const shard = first.shards.held()[0] as number
    const epoch = first.shards.epochOf(shard)
    await first.shards.stop()
    t.equal(first.shards.held().length, 0)
    t.ok(first.released.includes(shard))
    await eventually(() => second.shards.held().length === SHARD_COUNT)
    t.equal(second.shards.epochOf(shard), epoch + 1, 'the epoch rises')
    t.equal(doubles(), 0)
  },
)

t.test('the shards of a killed replica move to the others', async (t) => {
  const { url, database } = await setup(t)
  const child = startProcess(t, url)
  t.equal(await child.sent('held'), SHARD_COUNT)
  const replica = await startReplica(t, database)
  await eventually(() => replica.shards.held().length === SHARD_COUNT / 2)
  child.kill('SIGKILL')
  await eventually(() => replica.shards.held().length === SHARD_COUNT)
  t.equal(new Set(replica.acquired).size, SHARD_COUNT)
})

t.test('the shards of a dead replica are claimed when its lease expires', async (t) => {
  const { database } = await setup(t)
  const dead = randomUUID()
  const { batchSql } = database
  await batchSql`INSERT INTO replica (id, location, expires_at)
    VALUES (${dead}, 'default', now() + interval '1 s')`
  await batchSql`INSERT INTO shard_lease (location, shard, owner)
    SELECT 'default', shard, ${dead} FROM generate_series(0, ${SHARD_COUNT - 1}::int) AS shard`
  const { shards } = await startReplica(t, database, { ttlMs: 7_200_000, renewMs: 3_600_000 })
  await eventually(() => shards.held().length === SHARD_COUNT)
})

t.test('a replica that was suspended holds nothing before it has queried', async (t) => {
  const { url, database } = await setup(t)
  const child = startProcess(t, url)
  await child.sent('held')
  const replica = await startReplica(t, database)
  child.kill('SIGSTOP')
  await eventually(() => replica.shards.held().length === SHARD_COUNT)
  // The replica reports pauses that exceed the lifetime of a lease.
  await pause(times.ttlMs)
  child.messages.length = 0
  child.kill('SIGCONT')
  t.equal(await child.sent('heldWhenWoken'), 0, 'fenced by its own clock')
  t.ok((await child.sent('lost')) > 0, 'and reports its lost shards')
})

t.test('a lapsed lease that no replica claimed continues without a reload', async (t) => {
  const { database } = await setup(t)
  const { shards, acquired, released } = await startReplica(t, database)
  const epoch = shards.epochOf(0)
  const { batchSql } = database
  await batchSql`UPDATE replica SET expires_at = now() - interval '1 s'`
  await eventually(async () => {
    const [row] = await batchSql`SELECT FROM replica WHERE expires_at > now()`
    return row !== undefined
  })
  t.equal(shards.held().length, SHARD_COUNT)
  t.equal(shards.epochOf(0), epoch)
  t.equal(acquired.length, SHARD_COUNT)
  t.same(released, [])
})

t.test('while Postgres is unreachable', async (t) => {
  const { database } = await setup(t)
  const away = { now: false }
  const fault = () => Promise.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }))
  const batchSql = new Proxy(database.batchSql, {
    apply: (target, self, args) => (away.now ? fault() : Reflect.apply(target, self, args)),
  })
  const cutOff = { batchSql, schema: database.schema, listen: database.listen }

  t.test('the only replica continues as long as allowed, and afterwards', async (t) => {
    away.now = false
    const { shards, acquired } = await startReplica(t, cutOff, { holdOverMs: 3000 })
    away.now = true
    await eventually(() => shards.isHeldOver())
    t.equal(shards.held().length, SHARD_COUNT)
    await eventually(() => shards.held().length === 0)
    away.now = false
    await eventually(() => shards.held().length === SHARD_COUNT)
    t.equal(shards.isHeldOver(), false)
    t.equal(acquired.length, SHARD_COUNT, 'no replica held them in between')
  })

  t.test('one of several replicas stops, since the others may still reach Postgres', async (t) => {
    away.now = false
    const other = await startReplica(t, database)
    const { shards } = await startReplica(t, cutOff)
    await eventually(() => shards.held().length === SHARD_COUNT / 2)
    away.now = true
    await eventually(() => other.shards.held().length === SHARD_COUNT)
    t.equal(shards.held().length, 0)
    t.equal(shards.isHeldOver(), false)
    away.now = false
  })
})

t.test(
  'the database’s time is the same in all replicas, however their clocks are set',
  async (t) => {
    const { database } = await setup(t)
    const { shards } = await startReplica(t, database)
    const skewed = await startReplica(t, database, { monotonicNow: () => performance.now() + 1e9 })
    t.ok(Math.abs(shards.now() - skewed.shards.now()) < 1000)
  },
)
