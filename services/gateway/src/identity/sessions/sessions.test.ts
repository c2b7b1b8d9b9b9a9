/** Sessions and bearer keys over HTTP: expiry, precedence, and allowed origins. */
import { eventually, shiftedClock } from '@status-page/testing'
import t from 'tap'
import {
  asKey,
  cookieOf,
  createApiKey,
  gatewayOver,
  password,
  registerMember,
  testGateway,
} from '../../gateway.fixture.ts'

t.test(
  'a session ends by idleness, by age, by logout, and when ten newer ones exist',
  async (t) => {
    const { databases } = await testGateway(t)
    const clock = shiftedClock()
    const gateway = gatewayOver(t, await databases.connect('gateway', { clock }))
    const member = await registerMember(gateway)
    const statusOf = async (cookie: string) =>
      (await gateway.http.inject({ url: '/api/v1/auth/me', headers: { cookie } })).statusCode
    const login = async () =>
      cookieOf(
        await gateway.http.inject({
          method: 'POST',
          url: '/api/v1/auth/login',
          payload: { email: member.identity.user.email, password },
        }),
      )
    t.equal(await statusOf(member.cookie), 200)
    clock.advance(12 * 3_600_000)
    t.equal(await statusOf(member.cookie), 401, 'idle for twelve hours')

    const cookies: string[] = []
    for (let count = 0; count < 11; count++) {
      cookies.push(await login())
      clock.advance(1_000)
    }
    t.equal(await statusOf(cookies[0] ?? ''), 401, 'the oldest has ended')
    t.equal(await statusOf(cookies[1] ?? ''), 200)

    const out = await gateway.http.inject({
      method: 'POST',
      url: '/api/v1/auth/logout',
      headers: { cookie: cookies[1] },
    })
    t.same(out.json(), { success: true })
    t.match(out.headers['set-cookie'], /^session=; Max-Age=0/)
    t.ok(out.headers['clear-site-data'])
    t.equal(await statusOf(cookies[1] ?? ''), 401)
    const again = await gateway.http.inject({ method: 'POST', url: '/api/v1/auth/logout' })
    t.equal(again.statusCode, 200, 'logout may be repeated')
  },
)

t.test(
  'a bearer header takes precedence, even an invalid one next to a valid cookie',
  async (t) => {
    const gateway = await testGateway(t)
    const member = await registerMember(gateway)
    const { key } = await createApiKey(gateway, member, ['audit:read'])
    const statusOf = async (headers: Record<string, string>) =>
      (await gateway.http.inject({ url: '/api/v1/auth/me', headers })).statusCode
    const { cookie } = member
    t.equal(await statusOf({ authorization: `Bearer ${key}` }), 200)
    t.equal(await statusOf({ authorization: `bearer ${key}` }), 200)
    t.equal(await statusOf({ authorization: `Bearer  ${key}`, cookie }), 401, 'two blanks')
    t.equal(await statusOf({ authorization: 'Bearer nonsense', cookie }), 401)
    t.equal(await statusOf({ authorization: `Bearer ${key.slice(0, -1)}`, cookie }), 401)
    t.equal(await statusOf({ cookie: `session=${key}` }), 401)
    const last = key.at(-1) === 'A' ? 'B' : 'A'
    t.equal(await statusOf({ authorization: `Bearer ${key.slice(0, -1)}${last}` }), 401)
    const query = await gateway.http.inject({ url: `/api/v1/auth/me?access_token=${key}` })
    t.equal(query.statusCode, 401)
    const me = await gateway.http.inject({ url: '/api/v1/auth/me', headers: asKey(key) })
    t.match(me.json(), { user: null, permissions: ['audit:read'], apiKey: { name: 'A key' } })
  },
)

t.test('cookies require same-site requests; login and register always do', async (t) => {
  const gateway = await testGateway(t)
  const member = await registerMember(gateway)
  const { key } = await createApiKey(gateway, member, ['organization:write'])
  const sites: [Record<string, string>, boolean][] = [
    [{ 'sec-fetch-site': 'same-origin' }, true],
    [{ 'sec-fetch-site': 'none' }, true],
    [{ 'sec-fetch-site': 'same-site' }, false],
    [{ 'sec-fetch-site': 'cross-site' }, false],
    [{ 'sec-fetch-site': 'cross-site', origin: 'http://status.test' }, false],
    [{ origin: 'http://status.test' }, true],
    [{ origin: 'http://evil.test' }, false],
    [{ origin: 'null' }, false],
    [{}, true],
  ]
  const body = { name: 'Another', permissions: ['audit:read'] }
  for (const [site, isOwn] of sites) {
    const name = JSON.stringify(site)
    const callApi = async (
      method: 'GET' | 'POST',
      path: string,
      headers: object,
      payload?: object,
    ): Promise<string> => {
      const url = `/api/v1${path}`
      const given = { ...site, ...headers } as Record<string, string>
      const response = await gateway.http.inject({
        method,
        url,
        headers: given,
        ...(payload === undefined ? {} : { payload }),
      })
      return response.json().error?.details?.reason ?? response.statusCode
    }
    const refused = (status: number) => (isOwn ? status : 'cross_site')
    const { cookie } = member
    t.equal(await callApi('POST', '/api-keys', { cookie }, body), refused(201), `cookie ${name}`)
    t.equal(await callApi('GET', '/api-keys', { cookie }), 200, `reading ${name}`)
    const permissions = ['organization:read']
    const asked = { name: 'k', permissions }
    const bearer = { authorization: `Bearer ${key}` }
    t.equal(await callApi('POST', '/api-keys', bearer, asked), 201, `bearer ${name}`)
    const login = { email: 'x@example.com', password: 'whatever it is' }
    const expected = isOwn ? [401, 429] : ['cross_site']
    t.ok(
      expected.includes((await callApi('POST', '/auth/login', {}, login)) as never),
      `login ${name}`,
    )
    t.equal(await callApi('POST', '/auth/logout', {}), refused(200), `logout ${name}`)
  }
  const asText = await gateway.http.inject({
    method: 'POST',
    url: '/api/v1/auth/login',
    headers: { 'content-type': 'text/plain' },
    payload: '{}',
  })
  t.equal(asText.statusCode, 415)
})

t.test('the session cookie is bound to the host over https', async (t) => {
  const gateway = await testGateway(t, { BASE_URL: 'https://status.test' })
  const response = await gateway.http.inject({
    method: 'POST',
    url: '/api/v1/auth/register',
    payload: {
      email: 'ana@example.com',
      password,
      name: 'Ana',
      organizationName: 'Acme',
    },
  })
  t.match(response.headers['set-cookie'], [
    /^__Host-session=.*; HttpOnly; Secure; SameSite=Lax$/,
    /^__Host-device=.*; HttpOnly; Secure; SameSite=Lax$/,
  ])
  t.match(response.headers['strict-transport-security'], /max-age/)
})

t.test('a denied permission is named in the response and recorded once', async (t) => {
  const gateway = await testGateway(t)
  const member = await registerMember(gateway)
  const { key } = await createApiKey(gateway, member, ['components:read'])
  for (let count = 0; count < 20; count++) {
    const response = await gateway.http.inject({ url: '/api/v1/api-keys', headers: asKey(key) })
    t.equal(response.statusCode, 403)
  }
  const recorded = () => gateway.database.batchSql`
    SELECT FROM outbox WHERE payload->>'action' = 'auth.permission_denied'`
  await eventually(async () => (await recorded()).length > 0)
  t.equal((await recorded()).length, 1)
})
