/** A gateway without notifications serves no cached page that was closed by another service. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { draftEvent, statusPageUpdated, systemActor } from '@status-page/contracts'
import { connect, newId, transact } from '@status-page/postgres'
import { eventually, testDatabase } from '@status-page/testing'
import t, { type Test } from 'tap'
import { gatewayOver } from '../gateway.fixture.ts'

/** Gateway that listens for invalidations, in front of a core with one open page. */
const listeningGateway = async (t: Test) => {
  const databases = await testDatabase(t, { services: ['gateway', 'core'] })
  const name = new URL(databases.adminUrl).pathname.slice(1)
  // Connection to another database: Postgres cannot refuse connections to the current one.
  const url = Object.assign(new URL(databases.adminUrl), { pathname: '/postgres' }).href
  const administrator = await connect({ url, service: 'gateway', max: 1 })
  t.teardown(() => administrator.close())
  const admin = administrator.batchSql
  const organizationId = newId()
  const seen = { requests: 0, isOpen: true }
  const core = createServer(({ url = '' }, response) => {
    seen.requests++
    const body = Buffer.from(seen.isOpen ? url : 'gone')
    const headers = { 'content-type': 'text/html', 'content-length': body.length }
    const entry = { 'cache-control': 'public, max-age=30', etag: '"a"' }
    const owner = { 'x-internal-organization': organizationId }
    if (seen.isOpen) response.writeHead(200, { ...headers, ...entry, ...owner })
    else response.writeHead(404, { ...headers, 'cache-control': 'no-store' })
    response.end(body)
  })
  await new Promise<void>((resolve) => core.listen(0, '127.0.0.1', resolve))
  t.teardown(() => core.close())
  const CORE_URL = `http://127.0.0.1:${(core.address() as AddressInfo).port}`
  const database = await databases.connect('gateway')
  const { http, background = [] } = gatewayOver(t, database, { CORE_URL })
  for (const work of background) await work.start()
  t.teardown(() => Promise.all(background.map((work) => work.stop())))
  const status = async () => (await http.inject({ url: '/status/acme' })).statusCode
  /** Returns whether the second of two requests is served from the cache. */
  const isCached = async () => {
    await status()
    const before = seen.requests
    await status()
    return seen.requests === before
  }
  const listeners = () => admin<{ pid: number }[]>`
    SELECT pid FROM pg_stat_activity WHERE datname = ${name} AND query ILIKE 'listen %'`
  const close = async () => {
    seen.isOpen = false
    const page = { id: newId(), name: 'A', slug: 'acme', isPublished: false, url: 'https://a.test' }
    const event = draftEvent(statusPageUpdated, { id: page.id, version: 2 }, { statusPage: page })
    const byCore = await databases.database('core')
    await transact(byCore, { organizationId, actor: systemActor }, async () => ({
      result: undefined,
      events: [event],
      audit: [],
    }))
  }
  return { admin, name, status, isCached, listeners, close, seen }
}

t.test('a page closed while the connection is cut is not served', async (t) => {
  const { admin, name, status, isCached, listeners, close, seen } = await listeningGateway(t)
  await eventually(isCached)
  // Prevents the gateway from reconnecting until the page is closed.
  await admin`ALTER DATABASE ${admin(name)} ALLOW_CONNECTIONS false`
  const cut = await listeners()
  await admin`SELECT pg_terminate_backend(pid) FROM unnest(${cut.map(({ pid }) => pid)}::int[]) pid`
  await eventually(async () => !(await isCached()), { timeoutMs: 1_000 })
  seen.isOpen = false
  t.equal(await status(), 404)
  await admin`ALTER DATABASE ${admin(name)} ALLOW_CONNECTIONS true`
  await close()
  seen.isOpen = true
  await eventually(isCached, { timeoutMs: 20_000 })
})

t.test('a page closed while the connection is silent is not served', async (t) => {
  const { status, isCached, listeners, close, seen } = await listeningGateway(t)
  await eventually(isCached)
  const frozen = await listeners()
  const signal = (name: NodeJS.Signals) => {
    for (const { pid } of frozen) process.kill(pid, name)
  }
  signal('SIGSTOP')
  t.teardown(() => signal('SIGCONT'))
  await eventually(async () => !(await isCached()), { timeoutMs: 5_000 })
  await close()
  t.equal(await status(), 404)
  seen.isOpen = true
  signal('SIGCONT')
  await eventually(isCached, { timeoutMs: 20_000 })
})
