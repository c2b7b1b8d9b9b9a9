/** Renewals and claims that meet in Postgres: a shard has one owner in either order. */
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { connect } from '@status-page/postgres'
import { eventually, testDatabase } from '@status-page/testing'
import t, { type Test } from 'tap'
import { claim, leave, prepareLocation, renew } from './leases.ts'
import { SHARD_COUNT } from './slots.ts'

const tablesFile = new URL('../migrations/shards.sql', import.meta.url)
const TTL_MS = 60_000

/** Two replicas; the first owns all shards, and its lease has expired. */
const setup = async (t: Test) => {
  const { adminUrl } = await testDatabase(t, { services: [] })
  const database = await connect({ url: adminUrl, service: 'monitor' })
  t.teardown(() => database.close())
  const { batchSql: sql } = database
  await sql.unsafe(await readFile(tablesFile, 'utf8'))
  await prepareLocation(sql, 'default')
  const [first, second] = [holder(), holder()]
  await claim(sql, first, await renew(sql, first))
  await sql`UPDATE replica SET expires_at = now() - interval '1 s'`
  const isBlocked = async () => {
    const rows = await sql`SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`
    return rows.length > 0
  }
  return { sql, first, second, isBlocked }
}

const holder = () => ({ location: 'default', replicaId: randomUUID(), ttlMs: TTL_MS })

t.test('a claim takes the shards of an expired replica and reports since when', async (t) => {
  const { sql, first, second } = await setup(t)
  const round = await renew(sql, second)
  const claimed = await claim(sql, second, round)
  t.equal(claimed.length, SHARD_COUNT)
  t.ok(claimed.every(({ epoch }) => epoch === 2))
  const silentMs = round.nowMs - (claimed[0]?.silentSinceMs ?? 0)
  t.ok(silentMs > TTL_MS && silentMs < 2 * TTL_MS, 'the last renewal of the expired replica')
  t.same((await renew(sql, first)).held, [], 'which holds nothing when it continues')
})

t.test('a renewal returns the shards of the last one until they change', async (t) => {
  const { sql, first } = await setup(t)
  const round = await renew(sql, first)
  t.match(round.held.at(-1), { shard: SHARD_COUNT - 1, epoch: 1, silentSinceMs: null })
  const repeated = await renew(sql, first, round)
  t.equal(repeated.held, round.held)
  await sql`UPDATE shard_lease SET owner = NULL WHERE shard = 3`
  const renewed = await renew(sql, first, repeated)
  t.equal(renewed.held.length, SHARD_COUNT - 1)
  t.notOk(renewed.held.some(({ shard }) => shard === 3))
})

t.test('a claim that waits for a renewal leaves the shards to their owner', async (t) => {
  const { sql, first, second, isBlocked } = await setup(t)
  const round = await renew(sql, second)
  const renewal = await sql.reserve()
  await renewal`BEGIN`
  await renewal`UPDATE replica SET expires_at = now() + interval '1 hour'
    WHERE id = ${first.replicaId}`
  const claimed = claim(sql, second, round)
  await eventually(isBlocked)
  await renewal`COMMIT`
  renewal.release()
  t.same(await claimed, [])
  t.equal((await renew(sql, first)).held.length, SHARD_COUNT)
})

t.test('a renewal that waits for a claim does not return the shards it took', async (t) => {
  const { sql, first, second, isBlocked } = await setup(t)
  const round = await renew(sql, second)
  const taking = await sql.reserve()
  await taking`BEGIN`
  const claimed = await claim(taking, second, { ...round, live: 4 })
  const renewed = renew(sql, first)
  await eventually(isBlocked)
  await taking`COMMIT`
  taking.release()
  const { held } = await renewed
  t.equal(claimed.length, SHARD_COUNT / 4)
  t.equal(held.length, SHARD_COUNT - claimed.length)
  const taken = new Set(claimed.map(({ shard }) => shard))
  t.notOk(held.some(({ shard }) => taken.has(shard)))
})

t.test('a replica that leaves releases its shards, whose next owner misses no slot', async (t) => {
  const { sql, first, second } = await setup(t)
  await leave(sql, first, 'monitor_shards')
  const claimed = await claim(sql, second, await renew(sql, second))
  t.equal(claimed.length, SHARD_COUNT)
  t.ok(claimed.every(({ silentSinceMs }) => silentSinceMs === null))
})
