/** Files of the dashboard over HTTP: policy, caching, compression, unknown paths and methods. */
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import t from 'tap'
import { registerMember, testGateway } from '../gateway.fixture.ts'

const SCRIPT = 'export const name = "dashboard"'

const folder = t.testdir({
  'index.html':
    '<meta name="dashboard-path" content="./"><script src="./assets/main-1a2b.js">' +
    '<noscript><meta http-equiv="refresh" content="0; url=./../account"></noscript>',
})
mkdirSync(join(folder, 'assets'))
writeFileSync(join(folder, 'assets/main-1a2b.js'), SCRIPT)
writeFileSync(join(folder, 'assets/main-1a2b.js.br'), brotliCompressSync(SCRIPT))

const asset = '/dashboard/assets/main-1a2b.js'
const gateway = await testGateway(t, { DASHBOARD_DIR: folder })
const get = (url: string, headers = {}) => gateway.http.inject({ url, headers })

t.test('every path below /dashboard is the document, without a credential', async (t) => {
  for (const url of ['/dashboard', '/dashboard/', '/dashboard/start/page', '/dashboard/a?b=c']) {
    const reply = await get(url)
    t.equal(reply.statusCode, 200, url)
    t.match(reply.headers['content-type'], 'text/html')
    t.equal(reply.headers['cache-control'], 'no-cache')
    t.equal(reply.headers['x-content-type-options'], 'nosniff')
    t.match(reply.body, 'src="/dashboard/assets/main-1a2b.js"')
    t.match(reply.body, 'content="/dashboard/"')
  }
})

t.test('the policy of the document permits nothing inline and no other origin', async (t) => {
  const policy = String((await get('/dashboard')).headers['content-security-policy'])
  t.match(policy, "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https:")
  t.notMatch(policy, /unsafe|nonce|\*/)
})

t.test('the frame of a preview has no rights of the dashboard', async (t) => {
  const { headers, body } = await get('/dashboard/preview-frame')
  const policy = String(headers['content-security-policy'])
  t.match(policy, /; sandbox allow-scripts$/, 'its origin is another one')
  t.match(policy, "frame-ancestors 'self'")
  t.notMatch(policy, /connect-src|script-src [^;]*(?:self|unsafe)/)
  const [, script = ''] = body.match(/<script>(.*)<\/script>/s) ?? []
  t.match(policy, createHash('sha256').update(script).digest('base64'))
})

t.test('assets are immutable and served compressed as they were built', async (t) => {
  const plain = await get(asset)
  t.equal(plain.body, SCRIPT)
  t.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable')
  t.match(plain.headers['content-type'], 'application/javascript')
  const brotli = await get(asset, { 'accept-encoding': 'br, gzip' })
  t.equal(brotli.headers['content-encoding'], 'br')
  t.match(brotli.headers.vary, /accept-encoding/i)
})

t.test('files of the dashboard have a bucket of their own', async (t) => {
  const limited = await testGateway(t, {
    DASHBOARD_DIR: folder,
    RATE_LIMIT_MULTIPLIER: '1',
    RATE_LIMIT_PUBLIC_READ: '1',
    RATE_LIMIT_GLOBAL: '1',
    RATE_LIMIT_STATIC_FILE: '3',
  })
  const read = (url: string) => limited.http.inject({ url })
  t.equal((await read('/api/v1/public/status/acme')).statusCode, 200)
  t.equal((await read('/api/v1/public/status/acme')).statusCode, 429)
  for (const [index, url] of ['/dashboard', asset, '/favicon.ico'].entries()) {
    const reply = await read(url)
    t.equal(reply.statusCode, 200, url)
    t.match(reply.headers, { 'x-ratelimit-limit': '3', 'x-ratelimit-remaining': String(2 - index) })
  }
  t.match((await read(asset)).json(), { error: { details: { bucket: 'static file', limit: 3 } } })
})

t.test('unknown assets and paths outside of the folder are 404', async (t) => {
  for (const name of ['main.js', '', '..%2Findex.html', 'a/..%2F..%2Findex.html', '.hidden']) {
    t.equal((await get(`/dashboard/assets/${name}`)).statusCode, 404, name)
  }
  t.equal((await get('/dashboardx')).statusCode, 404)
})

t.test('other methods are 405', async (t) => {
  const reply = await gateway.http.inject({ method: 'POST', url: '/dashboard' })
  t.equal(reply.statusCode, 405)
  t.equal(reply.headers.allow, 'GET, HEAD')
})

t.test('the addresses contain the path of the base URL', async (t) => {
  const below = await testGateway(t, {
    DASHBOARD_DIR: folder,
    BASE_URL: 'https://example.com/status-service/',
  })
  const { body } = await below.http.inject({ url: '/dashboard' })
  t.match(body, 'src="/status-service/dashboard/assets/main-1a2b.js"')
  t.match(body, 'content="0; url=/status-service/dashboard/../account"')
})

t.test('a gateway without a build has no dashboard', async (t) => {
  const without = await testGateway(t)
  t.equal((await without.http.inject({ url: '/dashboard' })).statusCode, 404)
})

t.test('files are served while sessions cannot be looked up', async (t) => {
  const { cookie } = await registerMember(gateway)
  await gateway.database.close()
  for (const url of ['/dashboard', asset]) {
    t.equal((await get(url, { cookie })).statusCode, 200, url)
  }
})
