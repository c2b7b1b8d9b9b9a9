/** Five thousand hanging targets, each with its own address, delay no slot of other targets. */
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { componentCreated, draftEvent, systemActor } from '@status-page/contracts'
import { type Database, newId, transact } from '@status-page/postgres'
import { shardOf } from '@status-page/schedule'
import { eventually, testDatabase } from '@status-page/testing'
import t, { type Test } from 'tap'
import {
  adminOf,
  component,
  endpoint,
  manualClock,
  setup,
  startReplica,
} from '../monitor.fixture.ts'

// Keeps the test server running for the whole file; releasing the last database stops it.
await testDatabase(t, { services: [] })

const HANGING = 5_000
const QUICK = 50
const INTERVAL_SECONDS = 10
const ROUNDS = 3
const BACKLOG = 4_096

/** Binds one server to many loopback addresses; returns their origins. */
const addressesOf = async (t: Test, count: number, network: string, server: Server) => {
  await once(server.listen({ port: 0, host: '0.0.0.0', backlog: BACKLOG }), 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  return Array.from({ length: count }, (_, index) => {
    const address = `${network}.${Math.floor(index / 250)}.${(index % 250) + 1}`
    return `http://${address}:${port}/`
  })
}

/** Adds targets by copies of the rows of one; an event for each would take most of the test. */
const copyTarget = async (sql: Database['batchSql'], original: string, urls: readonly string[]) => {
  const ids = urls.map(() => newId())
  for (const table of ['targets', 'target_states', 'target_verdicts']) {
    await sql`
      INSERT INTO ${sql(`monitor.${table}`)}
      SELECT copy.* FROM ${sql(`monitor.${table}`)} source,
        unnest(${ids}::uuid[], ${ids.map(shardOf)}::smallint[], ${[...urls]}::text[])
          AS target(id, shard, url),
        jsonb_populate_record(source, jsonb_build_object(
          'component_id', target.id,
          'shard', target.shard,
          'probe', to_jsonb(source) -> 'probe' || jsonb_build_object('url', target.url)
        )) AS copy
      WHERE source.component_id = ${original}`
  }
}

t.test('five thousand hanging targets delay no slot of fifty others', async (t) => {
  const { core, bus, database, adminUrl } = await setup(t)
  const sql = await adminOf(t, adminUrl)
  const clock = manualClock()
  const organizationId = newId()
  const held = new Set<{ destroy(): void }>()
  const silent = createServer((socket) => void held.add(socket.on('error', () => {})))
  const hanging = await addressesOf(t, HANGING, '127.1', silent)
  const polite = createHttpServer((_, response) =>
    response.writeHead(200, { connection: 'close' }).end(),
  )
  const quick = await addressesOf(t, QUICK, '127.2', polite)
  t.teardown(() => {
    for (const socket of held) socket.destroy()
  })
  const given = { checkInterval: INTERVAL_SECONDS, timeout: 60_000 }
  const others = quick.map((url) => component({ endpoint: endpoint(url, given) }))
  const [firstSilent = '', ...otherSilent] = hanging
  const silentOne = component({ endpoint: endpoint(firstSilent, given) })
  await transact(core, { organizationId, actor: systemActor }, async () => ({
    result: undefined,
    events: [silentOne, ...others].map((one) =>
      draftEvent(componentCreated, { id: one.id, version: 1 }, { component: one }),
    ),
    audit: [],
  }))
  await bus.drain()
  await copyTarget(sql, silentOne.id, otherSilent)
  const replica = await startReplica(t, database, clock)
  await eventually(() => replica.gauges().targets === HANGING + QUICK)
  const ids = others.map(({ id }) => id)
  const stored = async () => {
    await replica.flush()
    const rows = await sql<{ slots: number }[]>`
      SELECT count(DISTINCT slot_at)::int AS slots FROM monitor.checks
      WHERE component_id = ANY (${ids}) AND status = 'SUCCESS' GROUP BY component_id`
    return rows.map(({ slots }) => slots)
  }
  for (let round = 1; round <= ROUNDS; round += 1) {
    clock.advance(INTERVAL_SECONDS * 1000)
    await eventually(
      async () => {
        const slots = await stored()
        return slots.length === QUICK && slots.every((count) => count >= round)
      },
      { timeoutMs: 60_000 },
    )
  }
  t.ok((await stored()).every((count) => count >= ROUNDS))
  await eventually(() => held.size >= HANGING, { timeoutMs: 120_000 })
  t.ok(replica.gauges().hanging > 0, 'they are counted separately')
  const [twice] = await sql`SELECT component_id FROM monitor.checks
    GROUP BY component_id, slot_at HAVING count(*) > 1`
  t.equal(twice, undefined)
})
