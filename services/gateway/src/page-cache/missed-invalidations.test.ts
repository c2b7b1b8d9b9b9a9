/** A page that was closed while a gateway was down is not served by it, even while core is down. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { draftEvent, statusPageUpdated, systemActor } from '@status-page/contracts'
import { newId, transact } from '@status-page/postgres'
import { testDatabase } from '@status-page/testing'
import t from 'tap'
import { gatewayOver } from '../gateway.fixture.ts'
import { noDiskStore } from './disk-store.ts'
import { createPageCache } from './page-cache.ts'

const MINUTE_MS = 60_000

/** Requests a page with a fixed clock; fills its cache entry. */
const entry = async () => {
  let time = 1_000_000_000
  let isAway = false
  const cache = createPageCache({ disk: noDiskStore, now: () => time })
  const load = async () => {
    if (isAway) return { status: 503, headers: {}, body: Buffer.from('away') }
    const headers = { 'cache-control': 'public, max-age=30', etag: '"a"' }
    return {
      status: 200,
      body: Buffer.from('page'),
      headers: { ...headers, 'x-internal-organization': 'acme' },
    }
  }
  /** Requests the page ten minutes later. */
  const requestPage = async (core: 'there' | 'away') => {
    time += 10 * MINUTE_MS
    isAway = core === 'away'
    const served = await cache.serve({ key: 'k', slug: 's', load })
    return String(served.kind === 'cached' ? served.entry.body.bytes : served.response.body)
  }
  await requestPage('there')
  const validatedMs = time
  time += 5 * MINUTE_MS
  const missed = (organizationId: string, afterMs: number) =>
    cache.applyMissedInvalidations(new Map([[organizationId, validatedMs + afterMs]]))
  return { requestPage, missed }
}

t.test('entries that core has not confirmed since a missed change are not served', async (t) => {
  for (const afterMs of [4 * MINUTE_MS, 0, -1_000]) {
    const { requestPage, missed } = await entry()
    missed('acme', afterMs)
    t.equal(await requestPage('away'), 'away', `${afterMs}`)
    t.equal(await requestPage('there'), 'page', 'confirmed as open by core')
    t.equal(await requestPage('away'), 'page', 'served again after the confirmation')
  }
  for (const [organizationId, afterMs] of [
    ['acme', -2 * MINUTE_MS],
    ['other', MINUTE_MS],
  ] as const) {
    const { requestPage, missed } = await entry()
    missed(organizationId, afterMs)
    t.equal(await requestPage('away'), 'page', `unchanged since: ${organizationId}`)
  }
})

t.test(
  'a starting gateway reads which organizations changed pages while it was down',
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'missed-'))
    t.teardown(() => rmSync(folder, { recursive: true, force: true }))
    const databases = await testDatabase(t, { services: ['gateway', 'core'] })
    const owners = { open: newId(), shut: newId() }
    let isAway = false
    const core = createServer(({ url = '' }, response) => {
      const owner = url.includes('shut') ? owners.shut : owners.open
      const body = Buffer.from(url)
      if (isAway) return response.destroy()
      response.writeHead(200, {
        'cache-control': 'public, max-age=30',
        etag: '"a"',
        'content-type': 'text/html',
        'x-internal-organization': owner,
        'content-length': body.length,
      })
      return response.end(body)
    })
    await new Promise<void>((resolve) => core.listen(0, '127.0.0.1', resolve))
    t.teardown(() => core.close())
    const CORE_URL = `http://127.0.0.1:${(core.address() as AddressInfo).port}`
    const started = async () => {
      const database = await databases.connect('gateway')
      const { http, background = [] } = gatewayOver(t, database, {
        CORE_URL,
        PAGE_CACHE_DIR: folder,
      })
      for (const work of background) await work.start()
      return {
        requestPage: async (slug: string) =>
          (await http.inject({ url: `/status/${slug}` })).statusCode,
        stop: () => Promise.all(background.map((work) => work.stop())),
      }
    }
    const first = await started()
    for (const slug of ['open', 'shut']) t.equal(await first.requestPage(slug), 200)
    await first.stop()
    const page = { id: newId(), name: 'A', slug: 'shut', isPublished: false, url: 'https://a.test' }
    const event = draftEvent(statusPageUpdated, { id: page.id, version: 2 }, { statusPage: page })
    const byCore = await databases.database('core')
    await transact(byCore, { organizationId: owners.shut, actor: systemActor }, async () => ({
      result: undefined,
      events: [event],
      audit: [],
    }))
    isAway = true
    const second = await started()
    t.teardown(() => second.stop())
    t.equal(await second.requestPage('open'), 200, 'unchanged')
    t.ok((await second.requestPage('shut')) >= 500)
    isAway = false
  },
)
