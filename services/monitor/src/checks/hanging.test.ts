/** Hundreds of targets that hang, each at an address of its own: the others miss no slot. */
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { componentCreated, emit, systemActor } from '@status-page/contracts'
import { change, newId } from '@status-page/postgres'
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

// Held for the whole file: the last to release a server that was started here stops it.
await testDatabase(t, { services: [] })

const HANGING = 300
const QUICK = 50
const INTERVAL_SECONDS = 10
const ROUNDS = 3

/** One server for each address; gives their origins. */
const serversAt = async (t: Test, count: number, network: string, make: () => Server) =>
  Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const address = `${network}.${Math.floor(index / 250)}.${(index % 250) + 1}`
      const server = make().listen(0, address)
      await once(server, 'listening')
      t.teardown(() => server.close())
      return `http://${address}:${(server.address() as AddressInfo).port}/`
    }),
  )

t.test('three hundred hanging targets keep fifty others from no slot', async (t) => {
  const { core, bus, database, adminUrl } = await setup(t)
  const sql = await adminOf(t, adminUrl)
  const clock = manualClock()
  const organizationId = newId()
  const held = new Set<{ destroy(): void }>()
  const silent = () => createServer((socket) => void held.add(socket.on('error', () => {})))
  const hanging = await serversAt(t, HANGING, '127.1', silent)
  const quick = await serversAt(t, QUICK, '127.2', () =>
    createHttpServer((_, response) => response.writeHead(200, { connection: 'close' }).end()),
  )
  t.teardown(() => {
    for (const socket of held) socket.destroy()
  })
  const given = { checkInterval: INTERVAL_SECONDS, timeout: 60_000 }
  const others = quick.map((url) => component({ endpoint: endpoint(url, given) }))
  const silentOnes = hanging.map((url) => component({ endpoint: endpoint(url, given) }))
  await change(core, { organizationId, actor: systemActor }, async () => ({
    result: undefined,
    events: [...silentOnes, ...others].map((one) =>
      emit(componentCreated, { id: one.id, version: 1 }, { component: one }),
    ),
    audit: [],
  }))
  await bus.drain()
  const replica = await startReplica(t, database, clock)
  await eventually(() => replica.figures().targets === HANGING + QUICK)
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
  await eventually(() => held.size === HANGING, { timeoutMs: 60_000 })
  t.equal(replica.figures().inFlight, HANGING, 'each of them is asked, once')
  const [twice] = await sql`SELECT component_id FROM monitor.checks
    GROUP BY component_id, slot_at HAVING count(*) > 1`
  t.equal(twice, undefined)
})
