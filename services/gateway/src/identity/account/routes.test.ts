/** Accounts and sessions over HTTP. */
import { memoryBus } from '@status-page/bus'
import { type Member, type RoleName, rights, rightsOfRole } from '@status-page/contracts'
import { eventually, shiftedClock } from '@status-page/testing'
import t from 'tap'
import {
  asKey,
  asMember,
  cookieOf,
  createApiKey,
  gatewayOver,
  password,
  registerMember,
  testGateway,
} from '../../gateway.fixture.ts'
import { addMember, audited, callApi, makeRole } from '../../organization.fixture.ts'

const account = (email: string, candidate: string = password) => ({
  email,
  password: candidate,
  name: 'Ana',
  organizationName: 'Acme',
})

t.test('register creates the account, its organization, the owner and a session', async (t) => {
  const gateway = await testGateway(t)
  const response = await gateway.http.inject({
    method: 'POST',
    url: '/api/v1/auth/register',
    payload: { ...account('Ana@Example.com'), organizationName: 'Ácme & Söhne' },
  })
  t.equal(response.statusCode, 201, response.body)
  t.match(response.json(), {
    user: { email: 'ana@example.com', name: 'Ana', twoFactorEnabled: false },
    organization: { name: 'Ácme & Söhne', slug: 'acme-sohne', role: 'OWNER' },
  })
  t.match(response.headers['set-cookie'], [
    /^session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/,
    /^device=[\w.-]+; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax$/,
  ])
  const me = await gateway.http.inject({
    url: '/api/v1/auth/me',
    headers: { cookie: cookieOf(response) },
  })
  t.equal(me.statusCode, 200, me.body)
  t.equal(me.json().organizations.length, 1)
  t.same(me.json().permissions, rights)

  const bus = memoryBus(t, [{ database: gateway.database, eventHandlers: gateway.eventHandlers }])
  await bus.drain()
  const rows = await gateway.database.batchSql`
    SELECT kind, payload->>'action' AS action FROM outbox ORDER BY seq`
  t.same(
    rows.map((row) => [row.kind, row.action]),
    [
      ['organization.created', null],
      ['member.added', null],
      ['account.verification-requested', null],
      ['audit.recorded', 'auth.register'],
    ],
  )
})

t.test(
  'a known address is 409, a taken slug gets a suffix, closed registration is 403',
  async (t) => {
    const gateway = await testGateway(t)
    const register = (payload: object) =>
      gateway.http.inject({ method: 'POST', url: '/api/v1/auth/register', payload })
    t.equal((await register(account('one@example.com'))).json().organization.slug, 'acme')
    const again = await register(account('ONE@example.com'))
    t.equal(again.statusCode, 409)
    t.match(again.json().error, { code: 'CONFLICT', details: { reason: 'duplicate' } })
    const second = await register(account('two@example.com'))
    t.match(second.json().organization.slug, /^acme-[0-9a-f]{6}$/)

    const closed = gatewayOver(t, gateway.database, { REGISTRATION: 'closed' })
    const refused = await closed.http.inject({
      method: 'POST',
      url: '/api/v1/auth/register',
      payload: account('one@example.com'),
    })
    t.equal(refused.statusCode, 403)
    t.equal(refused.json().error.details.reason, 'registration_closed')
  },
)

t.test('passwords have 8 characters to 72 bytes and differ from the address', async (t) => {
  const gateway = await testGateway(t)
  const cases: [string, unknown, number][] = [
    ['seven characters', 'a'.repeat(7), 400],
    ['eight characters', 'a'.repeat(8), 201],
    ['72 bytes', 'b'.repeat(72), 201],
    ['73 bytes', 'b'.repeat(73), 400],
    ['37 letters of two bytes', 'é'.repeat(37), 400],
    ['36 letters of two bytes', 'é'.repeat(36), 201],
    ['the own address', 'case-6@example.com', 400],
    ['NUL', 'aaaaaaaa\u0000', 400],
    ['an object', { length: 10 }, 400],
    ['null', null, 400],
  ]
  for (const [index, [name, candidate, status]] of cases.entries()) {
    const response = await gateway.http.inject({
      method: 'POST',
      url: '/api/v1/auth/register',
      payload: { ...account(`case-${index}@example.com`), password: candidate },
    })
    t.equal(response.statusCode, status, `${name}: ${response.body}`)
    if (status === 400) t.equal(response.json().error.details.field, 'password', name)
  }
})

t.test(
  'every failed login gets the same response, and no presented cookie is adopted',
  async (t) => {
    const gateway = await testGateway(t)
    const member = await registerMember(gateway)
    const { email } = member.identity.user
    const login = (payload: object, cookie = '') =>
      gateway.http.inject({
        method: 'POST',
        url: '/api/v1/auth/login',
        headers: { cookie },
        payload,
      })
    const wrong = await login({ email, password: 'wrong password' })
    const unknown = await login({ email: 'nobody@example.com', password })
    t.equal(wrong.statusCode, 401)
    t.equal(wrong.headers['www-authenticate'], 'Bearer')
    t.same(wrong.json(), unknown.json())

    const right = await login(
      { email: email.toUpperCase(), password, code: '123456' },
      member.cookie,
    )
    t.equal(right.statusCode, 200, right.body)
    t.same(right.json(), member.identity)
    t.not(cookieOf(right), member.cookie)
    const old = await gateway.http.inject({
      url: '/api/v1/auth/me',
      headers: { cookie: member.cookie },
    })
    t.equal(old.statusCode, 401, 'the presented session has ended')
    const actions = await eventually(async () => {
      const rows = await gateway.database.batchSql`
      SELECT payload->>'action' AS action FROM outbox WHERE payload->>'action' LIKE 'auth.login%'`
      return rows.length > 1 && rows.map((row) => String(row.action))
    })
    t.same(actions.sort(), ['auth.login', 'auth.login_failed'])
  },
)

t.test(
  'ten failures block an account for a minute, known or not; a success resets them',
  async (t) => {
    const gateway = await testGateway(t)
    const { databases } = gateway
    const clock = shiftedClock()
    const moved = gatewayOver(t, await databases.connect('gateway', { clock }))
    const member = await registerMember(moved)
    const login = (email: string, candidate: string) =>
      moved.http.inject({
        method: 'POST',
        url: '/api/v1/auth/login',
        payload: { email, password: candidate },
      })
    for (const email of [member.identity.user.email, 'stranger@example.com']) {
      const tries = await Promise.all(Array.from({ length: 12 }, () => login(email, 'wrong one')))
      const statuses = tries.map(({ statusCode }) => statusCode).sort()
      t.same(statuses, [...Array(10).fill(401), 429, 429], 'parallel guesses are counted too')
      const refused = tries.find(({ statusCode }) => statusCode === 429)
      t.match(refused?.json().error, {
        code: 'RATE_LIMIT_EXCEEDED',
        details: { limit: 10, window: '900s', bucket: 'account' },
      })
      t.ok(Number(refused?.headers['retry-after']) <= 60)
    }
    const { email } = member.identity.user
    t.equal((await login(email, password)).statusCode, 429, 'a right password waits too')
    clock.advance(61_000)
    t.equal((await login(email, password)).statusCode, 200)
    t.equal((await login(email, 'wrong one')).statusCode, 401, 'the count started again')
  },
)

t.test('GET /auth/me lists the permissions of the role, or those of the API key', async (t) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  const permissionsFor = async (headers: Record<string, string>) =>
    (await callApi(gateway, 'GET /auth/me', headers)).json().permissions
  for (const role of ['ADMIN', 'MEMBER', 'STATUS_EDITOR', 'VIEWER'] as RoleName[]) {
    const member = await addMember(gateway, owner, role)
    t.same(new Set(await permissionsFor(asMember(member))), new Set(rightsOfRole(role)), role)
  }
  const custom = await addMember(gateway, owner, await makeRole(gateway, owner, ['SLA_UPDATE']))
  t.same(await permissionsFor(asMember(custom)), ['SLA_VIEW', 'SLA_UPDATE'])
  const { key } = await createApiKey(gateway, owner, ['components:write', 'audit:read'])
  t.same(await permissionsFor(asKey(key)), ['components:write', 'audit:read'])
})

t.test('a user changes their name in all their organizations', async (t) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  const member = await addMember(gateway, owner, 'VIEWER')
  const rename = (headers: Record<string, string>, body: object) =>
    callApi(gateway, 'PATCH /auth/me', headers, body)
  const renamed = await rename(asMember(member), { name: 'Ben <b>' })
  t.equal(renamed.statusCode, 200, renamed.body)
  const me = (await callApi(gateway, 'GET /auth/me', asMember(member))).json()
  t.match(me, { user: { name: 'Ben <b>' }, organization: { role: 'VIEWER' } })
  const members = await callApi(gateway, 'GET /organization/members', asMember(owner))
  t.match(
    members.json().data.find(({ userId }: Member) => userId === member.identity.user.id),
    { name: 'Ben <b>' },
  )
  const events = await gateway.database.batchSql`
    SELECT payload FROM outbox WHERE kind = 'member.updated'`
  t.match(events, [{ payload: { member: { name: 'Ben <b>', role: 'VIEWER' } } }])
  t.match((await audited(gateway, owner)).at(-1), {
    action: 'auth.account_update',
    changes: { name: { to: 'Ben <b>' } },
  })
  await rename(asMember(member), { name: 'Ben <b>' })
  const again = await gateway.database.batchSql`
    SELECT 1 FROM outbox WHERE kind = 'member.updated'`
  t.equal(again.length, 1, 'the same name changes nothing')
  const refused = await rename(asMember(member), { name: '' })
  t.equal(refused.statusCode, 400)
  t.match(refused.json().error.details, { field: 'name' })
  const { key } = await createApiKey(gateway, owner, ['organization:write'])
  t.equal((await rename(asKey(key), { name: 'Key' })).statusCode, 403)
})
