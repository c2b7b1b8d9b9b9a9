/** Sessions of the caller over HTTP, switching organizations, and known devices. */
import { newId } from '@status-page/postgres'
import { shiftedClock } from '@status-page/testing'
import t, { type Test } from 'tap'
import {
  asKey,
  asMember,
  cookieOf,
  cookiesOf,
  createApiKey,
  gatewayOver,
  password,
  registerMember,
  type SignedInMember,
  testGateway,
} from '../../gateway.fixture.ts'
import { deviceCookie } from '../sessions/device-cookie.ts'

const stage = async (t: Test) => {
  const clock = shiftedClock()
  const { databases, database } = await testGateway(t)
  const gateway = gatewayOver(t, await databases.connect('gateway', { clock }))
  const callApi = (
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    cookie: string,
    payload?: object,
  ) =>
    gateway.http.inject({
      method,
      url: `/api/v1/auth/${path}`,
      headers: { cookie },
      ...(payload === undefined ? {} : { payload }),
    })
  const login = (
    member: SignedInMember,
    headers: Record<string, string> = {},
    candidate = password,
  ) =>
    gateway.http.inject({
      method: 'POST',
      url: '/api/v1/auth/login',
      headers,
      payload: { email: member.identity.user.email, password: candidate },
    })
  const me = async (cookie: string) => (await callApi('GET', 'me', cookie)).statusCode
  return { clock, databases, database, gateway, callApi, login, me }
}

t.test('sessions are listed with their clients and ended one by one', async (t) => {
  const { clock, gateway, callApi, login, me, database } = await stage(t)
  const ana = await registerMember(gateway)
  const ben = await registerMember(gateway, 'Ben')
  clock.advance(1_000)
  const phone = cookieOf(await login(ana, { 'user-agent': 'phone/1' }))
  const list = await callApi('GET', 'sessions', ana.cookie)
  t.equal(list.statusCode, 200, list.body)
  t.match(list.json(), {
    data: [
      { isCurrent: false, userAgent: 'phone/1', ipAddress: '127.0.0.1' },
      { isCurrent: true, ipAddress: '127.0.0.1' },
    ],
    meta: { total: 2, page: 1, pageSize: 20 },
  })
  const [other, own] = list.json().data
  const hours = (Date.parse(other.expiresAt) - Date.parse(other.lastUsedAt)) / 3_600_000
  t.equal(hours, 12)
  const page = await callApi('GET', 'sessions?pageSize=1&page=2&sortOrder=asc', ana.cookie)
  t.same([page.json().data.length, page.json().data[0].id], [1, other.id])
  t.notMatch(list.body, /[\w-]{43}/, 'no token and no hash')

  t.equal((await callApi('DELETE', `sessions/${own.id}`, ben.cookie)).statusCode, 404, "another's")
  t.equal((await callApi('DELETE', `sessions/${newId()}`, ana.cookie)).statusCode, 404)
  t.equal((await callApi('DELETE', `sessions/${other.id}`, ana.cookie)).statusCode, 200)
  t.equal(await me(phone), 401)
  t.equal(await me(ana.cookie), 200)
  const last = await callApi('DELETE', `sessions/${own.id}`, ana.cookie)
  t.match(last.headers['set-cookie'], /^session=; Max-Age=0/)
  t.equal(await me(ana.cookie), 401)
  const ended = await database.batchSql`SELECT FROM outbox WHERE payload->>'action' = 'auth.logout'`
  t.equal(ended.length, 2)
  const { key } = await createApiKey(gateway, ben, ['audit:read'])
  const refused = await gateway.http.inject({ url: '/api/v1/auth/sessions', headers: asKey(key) })
  t.match([refused.statusCode, refused.json().error.details.reason], [403, 'session_required'])
})

t.test('switching the organization preserves the age of the session', async (t) => {
  const { clock, databases, gateway, callApi, me } = await stage(t)
  const ana = await registerMember(gateway)
  const ben = await registerMember(gateway, 'Ben')
  const target = ben.identity.organization
  const go = (cookie: string, organizationId: string) =>
    callApi('POST', 'organization', cookie, { organizationId })
  const foreign = await go(ana.cookie, target.id)
  const unknown = await go(ana.cookie, newId())
  t.match([foreign.statusCode, foreign.json().error.details.field], [400, 'organizationId'])
  t.same(foreign.json(), unknown.json(), 'foreign and unknown are alike')

  const { batchSql } = await databases.connect('gateway')
  const within = (organizationId: string, statement: string) =>
    batchSql.begin(async (sql) => {
      await sql`SELECT set_config('app.org', ${organizationId}, true)`
      await sql.unsafe(statement)
    })
  await within(
    target.id,
    `INSERT INTO memberships (organization_id, id, user_id, role)
     VALUES ('${target.id}', '${newId()}', '${ana.identity.user.id}', 'VIEWER')`,
  )
  const switched = await go(ana.cookie, target.id)
  t.equal(switched.statusCode, 200, switched.body)
  t.match(switched.json(), { user: { id: ana.identity.user.id }, organization: { role: 'VIEWER' } })
  t.equal(await me(ana.cookie), 401)
  let cookie = cookieOf(switched)
  t.equal((await callApi('GET', 'me', cookie)).json().organization.id, target.id)
  for (let half = 1; half < 14; half++) {
    clock.advance(11.9 * 3_600_000)
    cookie = cookieOf(await go(cookie, target.id))
    t.equal(await me(cookie), 200)
  }
  clock.advance(13.3 * 3_600_000 - 1)
  t.equal(await me(cookie), 401, 'seven days after the login')
})

t.test('a session of single sign-on reaches no other organization of the user', async (t) => {
  const { databases, gateway, callApi, login } = await stage(t)
  const ana = await registerMember(gateway)
  const ben = await registerMember(gateway, 'Ben')
  const [own, other] = [ana.identity.organization.id, ben.identity.organization.id]
  const { batchSql } = await databases.connect('gateway')
  await batchSql.begin(async (sql) => {
    await sql`SELECT set_config('app.org', ${other}, true)`
    await sql`INSERT INTO memberships (organization_id, id, user_id, role)
      VALUES (${other}, ${newId()}, ${ana.identity.user.id}, 'VIEWER')`
  })
  const otherCookie = cookieOf(await login(ana))
  await callApi('POST', 'organization', otherCookie, { organizationId: other })
  await batchSql.begin(async (sql) => {
    await sql`SELECT set_config('app.org', ${own}, true)`
    await sql`UPDATE sessions SET method = 'sso'`
  })
  const list = await callApi('GET', 'sessions', ana.cookie)
  t.equal(list.json().meta.total, 1, 'its own only')
  const switched = await callApi('POST', 'organization', ana.cookie, { organizationId: other })
  t.equal(switched.statusCode, 400)
})

t.test('failed guesses of others do not lock out a known device', async (t) => {
  const { gateway, login } = await stage(t)
  const ana = await registerMember(gateway)
  const cookies = cookiesOf(await login(ana))
  const device = cookies.find((cookie) => cookie.startsWith('device=')) ?? ''
  for (let count = 0; count < 10; count++) {
    t.equal((await login(ana, {}, 'not the password')).statusCode, 401)
  }
  t.equal((await login(ana)).statusCode, 429, 'for strangers')
  const known = await login(ana, { cookie: device })
  t.equal(known.statusCode, 200, known.body)
  t.equal(cookiesOf(known).length, 1, 'it keeps its device cookie')
  const forged = `${device.slice(0, -1)}${device.endsWith('A') ? 'B' : 'A'}`
  t.equal((await login(ana, { cookie: forged })).statusCode, 429, 'forged')
  for (let count = 0; count < 10; count++) {
    await login(ana, { cookie: device }, 'not the password')
  }
  t.equal((await login(ana, { cookie: device })).statusCode, 429, 'its own count')
  const ben = await registerMember(gateway, 'Ben')
  t.equal((await login(ben, { cookie: device })).statusCode, 200, "another's device is a stranger")
})

t.test('a device cookie is valid for one account, one secret and 180 days', async (t) => {
  let now = 1_000
  const cookieWith = (secret: string) =>
    deviceCookie({ baseUrl: 'http://status.test', secret, nowSeconds: () => now })
  const ours = cookieWith('a'.repeat(32))
  const header = ours.set('ana@example.com').split(';', 1)[0]
  t.match(ours.read(header, 'ana@example.com'), /^[\w-]{22}$/)
  t.equal(ours.read(header, 'ben@example.com'), null)
  t.equal(cookieWith('b'.repeat(32)).read(header, 'ana@example.com'), null)
  t.equal(ours.read(undefined, 'ana@example.com'), null)
  now += 180 * 24 * 3_600
  t.equal(ours.read(header, 'ana@example.com'), null)
})

t.test('a device stays known after logout', async (t) => {
  const { gateway, callApi } = await stage(t)
  const ana = await registerMember(gateway)
  const out = await callApi('POST', 'logout', asMember(ana).cookie ?? '')
  t.notMatch(out.headers['clear-site-data'], 'cookies')
  t.equal(cookiesOf(out).length, 1)
})

t.test('text that a browser stores until it is sent outlives a logout', async (t) => {
  const { gateway, callApi } = await stage(t)
  const ana = await registerMember(gateway)
  const out = await callApi('POST', 'logout', asMember(ana).cookie ?? '')
  t.equal(out.headers['clear-site-data'], '"cache"')
})
