/** Icon of the service over HTTP: its text, methods, and the link of account pages. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { registerMember, testGateway } from '../gateway.fixture.ts'

const dashboardIcon = new URL('../../../../packages/dashboard/src/favicon.svg', import.meta.url)

const gateway = await testGateway(t, { BASE_URL: 'https://example.com/status-service/' })
const get = (url: string, headers = {}) => gateway.http.inject({ url, headers })

t.test('/favicon.ico is the icon of the dashboard and of the API explorer', async (t) => {
  const icon = await get('/favicon.ico')
  t.equal(icon.statusCode, 200)
  t.match(icon.headers, { 'content-type': /^image\/svg\+xml/, 'cache-control': /^public/ })
  t.equal(icon.body, readFileSync(dashboardIcon, 'utf8'))
  t.equal(icon.body, (await get('/api/docs/static/theme/favicon.svg')).body)
})

t.test('other methods are 405', async (t) => {
  const reply = await gateway.http.inject({ method: 'POST', url: '/favicon.ico' })
  t.equal(reply.statusCode, 405)
  t.equal(reply.headers.allow, 'GET, HEAD')
})

t.test('account pages and their errors link the icon below the base URL', async (t) => {
  const link = '<link rel="icon" href="/status-service/favicon.ico">'
  for (const path of ['/sign-in', '/sign-in?notice=unknown']) {
    t.match((await get(path, { accept: 'text/html' })).body, link, path)
  }
})

t.test('the icon is served without a lookup of the session', async (t) => {
  const { cookie } = await registerMember(gateway)
  await gateway.database.close()
  t.equal((await get('/favicon.ico', { cookie })).statusCode, 200)
  t.not((await get('/api/v1/auth/me', { cookie })).statusCode, 200)
})
