/** Changes during the life of a gateway: pages change, access is revoked, core starts late. */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { newId } from '@status-page/postgres'
import { eventually } from '@status-page/testing'
import t, { type Test } from 'tap'
import { asMember, registerMember, testGateway } from '../gateway.fixture.ts'

interface Script {
  status: number
  cacheControl: string
  body: string
  isAway: boolean
  /** The response to a request, counted from 1, waits for it. */
  released(request: number): Promise<unknown>
}

/** Gateway that listens for invalidations, in front of a scripted core. */
const listeningGateway = async (t: Test) => {
  const organizationId = newId()
  const script: Script = {
    status: 200,
    cacheControl: 'public, max-age=30',
    body: 'for everybody',
    isAway: false,
    released: () => Promise.resolve(),
  }
  const load = { requests: 0, open: 0, mostOpen: 0 }
  const core = createServer(async (_request, response) => {
    load.requests++
    load.mostOpen = Math.max(load.mostOpen, ++load.open)
    response.once('close', () => load.open--)
    await script.released(load.requests)
    if (script.isAway) {
      response.destroy()
      return
    }
    const body = Buffer.from(script.body)
    const etag = `"${createHash('sha256').update(body).digest('base64url')}"`
    response.writeHead(script.status, {
      'cache-control': script.cacheControl,
      etag,
      'content-type': 'text/html',
      'x-internal-organization': organizationId,
      'content-length': body.length,
    })
    response.end(body)
  })
  await new Promise<void>((resolve) => core.listen(0, '127.0.0.1', resolve))
  t.teardown(() => core.close())
  const origin = `http://127.0.0.1:${(core.address() as AddressInfo).port}`
  const gateway = await testGateway(t, { CORE_URL: origin })
  for (const work of gateway.background ?? []) {
    await work.start()
    t.teardown(() => work.stop())
  }
  const tell = (channel: string, text: string) =>
    gateway.database.batchSql`SELECT pg_notify(${channel}, ${text})`
  return { gateway, script, load, organizationId, tell }
}

t.test('a page closed by another service is not served, even while core is down', async (t) => {
  const { gateway, script, organizationId, tell } = await listeningGateway(t)
  const requestPage = () => gateway.http.inject({ url: '/status/acme' })
  t.equal((await requestPage()).body, script.body)
  script.isAway = true
  t.equal((await requestPage()).body, script.body)
  await tell('page_access', organizationId)
  await eventually(async () => (await requestPage()).statusCode >= 500)
})

t.test('readers of a page of 20 MB share the response of core', async (t) => {
  const { gateway, script, load } = await listeningGateway(t)
  const url = '/status/acme'
  const read = (encoding?: string) =>
    gateway.http.inject({ url, headers: encoding ? { 'accept-encoding': encoding } : {} })
  script.body = `<main data-version="v">${'<i class="up"></i>'.repeat(1_200_000)}</main>`
  const replies = await Promise.all(Array.from({ length: 30 }, () => read('gzip, br')))
  for (const { headers, rawPayload } of replies) {
    t.equal(headers['content-encoding'], 'gzip')
    t.ok(rawPayload.length < script.body.length / 50)
  }
  t.equal(gunzipSync(replies[0]?.rawPayload ?? '').toString() === script.body, true)
  const plain = await read()
  t.equal(plain.body === script.body, true, 'a client without gzip receives the same')
  t.match(plain.headers, { 'content-length': `${script.body.length}`, etag: /^"/ })
  const etag = String(replies[0]?.headers.etag)
  const headers = { 'if-none-match': etag }
  t.equal((await gateway.http.inject({ url, headers })).statusCode, 304)
  t.ok(load.requests < 5, `${load.requests} for 32 readers; a slow machine revalidates the page`)
})

t.test('core processes 16 requests of a page at once, and others of other pages', async (t) => {
  const { gateway, script, load } = await listeningGateway(t)
  const { promise, resolve: release } = Promise.withResolvers<void>()
  script.cacheControl = 'no-store'
  // After the first response, the gateway knows that requests do not share responses.
  script.released = async (request) => (request === 1 ? undefined : promise)
  const statuses: number[] = []
  const read = async (slug: string) => {
    statuses.push((await gateway.http.inject({ url: `/status/${slug}` })).statusCode)
  }
  const many = Promise.all(Array.from({ length: 300 }, () => read('acme')))
  await eventually(() => load.open === 16)
  const other = read('other')
  await eventually(() => load.open === 17)
  // All but the first, those that core processes and 256 that wait.
  const refused = 300 - 1 - 16 - 256
  await eventually(() => statuses.filter((status) => status === 503).length >= refused)
  release()
  await Promise.all([many, other])
  t.equal(load.mostOpen, 17)
  t.ok(statuses.filter((status) => status === 200).length >= 17)
  t.ok(statuses.every((status) => status === 200 || status === 503))
})

const pageOf = (version: string) => `<main data-live="60" data-version="${version}">`

/** Opens an event stream, as the EventSource of a browser does. */
const follow = async (url: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url, { headers: { accept: 'text/event-stream', ...headers } })
  const received = { text: '', isOver: false }
  const read = async () => {
    for await (const chunk of response.body ?? []) received.text += Buffer.from(chunk).toString()
    received.isOver = true
  }
  const reading = read()
  return { response, received, reading }
}

t.test('clients receive changes of a page until the page or the gateway closes', async (t) => {
  const { gateway, script, organizationId, tell } = await listeningGateway(t)
  script.body = pageOf('one')
  const origin = await gateway.http.listen({ host: '127.0.0.1', port: 0 })
  const { response, received, reading } = await follow(`${origin}/status/acme/live`)
  t.equal(response.status, 200)
  t.match(Object.fromEntries(response.headers), {
    'content-type': /^text\/event-stream/,
    'cache-control': 'no-store',
    connection: 'close',
    'x-accel-buffering': 'no',
    'x-ratelimit-limit': /\d/,
    'x-request-id': /./,
  })
  await eventually(() => received.text.endsWith('data: one\n\n'))
  script.body = pageOf('two')
  await tell('outbox_new', 'core')
  await eventually(() => received.text.endsWith('data: one\n\ndata: two\n\n'))
  const ofIncident = await follow(`${origin}/status/acme/incidents/${newId()}/live`)
  await eventually(() => ofIncident.received.text.endsWith('data: two\n\n'))

  await tell('page_access', organizationId)
  await Promise.all([reading, ofIncident.reading])
  script.status = 404
  const refused = await follow(`${origin}/status/acme/live`)
  t.equal(refused.response.status, 404)
  await refused.reading
  t.equal(refused.received.text, script.body, 'the response is that of the page')

  Object.assign(script, { status: 200, body: 'page without a version' })
  await tell('page_access', organizationId)
  await eventually(async () => (await fetch(`${origin}/status/acme/live`)).status === 204)
  script.body = pageOf('three')
  await tell('page_access', organizationId)
  const head = () => gateway.http.inject({ method: 'HEAD', url: '/status/acme/live' })
  await eventually(async () => (await head()).statusCode === 200)
  const last = await follow(`${origin}/status/acme/live`)
  await eventually(() => last.received.text.endsWith('data: three\n\n'))
  await gateway.http.close()
  await last.reading
  t.ok(last.received.isOver, 'the gateway closes without waiting for clients')
})

t.test("the stream of a members' page ends at once when its session is revoked", async (t) => {
  const { gateway, script } = await listeningGateway(t)
  Object.assign(script, { body: pageOf('one'), cacheControl: 'no-store' })
  const origin = await gateway.http.listen({ host: '127.0.0.1', port: 0 })
  const [ana, ben] = [await registerMember(gateway), await registerMember(gateway)]
  const streams = await Promise.all(
    [ana, ben].map(({ cookie }) => follow(`${origin}/status/acme/live`, { cookie })),
  )
  const [own, other] = streams
  await eventually(() => streams.every(({ received }) => received.text.endsWith('data: one\n\n')))
  const url = '/api/v1/auth/logout'
  const left = await gateway.http.inject({ method: 'POST', url, headers: asMember(ana) })
  t.equal(left.statusCode, 200)
  await eventually(() => own?.received.isOver === true)
  t.equal(other?.received.isOver, false)
  await gateway.http.close()
  await other?.reading
})
