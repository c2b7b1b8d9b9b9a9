/** A server that stops responding: its connections are closed, those of slow statements are not. */
import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import {
  embeddedServer,
  eventually,
  selfSignedCertificate,
  testDatabase,
} from '@status-page/testing'
import { sql } from 'drizzle-orm'
import t, { type Test } from 'tap'
import { notesSchema } from './fixture/notes.ts'
import { connect, newId, read } from './index.ts'

const silenceTimes = { checkMs: 50, probeMs: 500 }
/** Until it passes, the server does not respond. */
const PAST_CHECKS_SECONDS = 20 * (silenceTimes.checkMs / 1000)
const down = { code: 'SERVICE_UNAVAILABLE' }

/** Forwards to a server, until it is stopped: then it accepts connections and sends nothing. */
const stoppableProxy = async (t: Test, target: URL) => {
  let isStopped = false
  let accepted = 0
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    accepted++
    const upstream = createConnection(Number(target.port), target.hostname)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from.on('error', () => {}).on('close', () => to.destroy()))
      from.on('data', (chunk) => {
        if (isStopped) from.pause()
        else to.write(chunk)
      })
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const url = new URL(target)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    accepted: () => accepted,
    stop: () => {
      isStopped = true
    },
    resume: () => {
      isStopped = false
    },
  }
}

const databaseUrls = {
  'without TLS': async (t: Test) => ({ url: (await testDatabase(t, notesSchema)).url('core') }),
  'with TLS': async (t: Test) => {
    const certificate = selfSignedCertificate(['127.0.0.1'])
    const { url } = await embeddedServer(t, { certificate })
    return { url, ca: certificate.cert }
  },
}

for (const [name, open] of Object.entries(databaseUrls)) {
  t.test(`statements to a server that stops responding are rejected, ${name}`, async (t) => {
    const { url, ...tls } = await open(t)
    const proxy = await stoppableProxy(t, new URL(url))
    const warnings: object[] = []
    const logger = { debug: () => {}, warn: (details: object) => void warnings.push(details) }
    const service = 'core'
    const core = await connect({ url: proxy.url, service, max: 2, silenceTimes, logger, ...tls })
    t.teardown(() => core.close())
    let [listening, lost] = [0, 0]
    await core.listen('news', () => {}, { onListening: () => listening++, onLost: () => lost++ })
    await read(core, newId(), async () => null)
    proxy.stop()
    await Promise.all([
      t.rejects(
        read(core, newId(), async () => null),
        down,
      ),
      t.rejects(core.batchSql`SELECT 1`, { code: 'CONNECTION_CLOSED' }),
    ])
    await eventually(() => lost > 0)
    t.match(warnings[0], { address: new URL(proxy.url).host })
    proxy.resume()
    await eventually(() => core.ping().then(() => true))
    await read(core, newId(), async () => null)
    await eventually(() => listening === 2)
  })
}

t.test('a slow statement of a server that responds is not interrupted', async (t) => {
  const { url } = await testDatabase(t, notesSchema)
  const proxy = await stoppableProxy(t, new URL(url('core')))
  const core = await connect({ url: proxy.url, service: 'core', max: 1, silenceTimes })
  t.teardown(() => core.close())
  const before = proxy.accepted()
  const [row] = await read(core, newId(), ({ tx }) =>
    tx.execute(sql`SELECT pg_sleep(${PAST_CHECKS_SECONDS}) IS NOT NULL AS slept`),
  )
  t.equal(row?.slept, true)
  t.ok(proxy.accepted() > before + 1, 'further connections probe the server')
})

t.test('of two hosts the other one is used once the first does not respond', async (t) => {
  const { url } = await testDatabase(t, notesSchema)
  const direct = new URL(url('core'))
  const proxy = await stoppableProxy(t, direct)
  const both = proxy.url.replace(/@[^/]+/, `@${new URL(proxy.url).host},${direct.host}`)
  const core = await connect({ url: both, service: 'core', max: 2, silenceTimes })
  t.teardown(() => core.close())
  await read(core, newId(), async () => null)
  proxy.stop()
  await t.rejects(
    read(core, newId(), async () => null),
    down,
  )
  await eventually(() => read(core, newId(), async () => true), { timeoutMs: 30_000 })
})
