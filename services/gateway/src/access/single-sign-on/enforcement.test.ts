/** Enforced single sign-on: passwords are refused, except for an OWNER with a second factor. */
import { asLookup } from '@status-page/postgres'
import { shiftedClock } from '@status-page/testing'
import t from 'tap'
import {
  asKey,
  asMember,
  cookieOf,
  createApiKey,
  password,
  registerMember,
} from '../../gateway.fixture.ts'
import {
  firstMembershipAdmittingPassword,
  recordEmergencyLogin,
} from '../../identity/saml/enforcement.ts'
import { enrol } from '../../identity/two-factor/two-factor.fixture.ts'
import { addMember, callApi, newEmail, tokenFor } from '../../organization.fixture.ts'
import { configure, logIn, ssoOrganization } from './single-sign-on.fixture.ts'

t.test('enforcement requires an enabled provider and prevents its removal', async (t) => {
  const { gateway, owner: founder, idp } = await ssoOrganization(t)
  const { member: owner } = await enrol(gateway, shiftedClock(), founder)
  const headers = asMember(owner)
  const enforce = (ssoEnforced: boolean) =>
    callApi(gateway, 'PATCH /organization', headers, { ssoEnforced })
  await configure(gateway, owner, idp, { isEnabled: false })
  t.equal((await enforce(true)).statusCode, 400)
  await configure(gateway, owner, idp)
  t.equal((await enforce(true)).statusCode, 200)
  const off = await configure(gateway, owner, idp, { isEnabled: false })
  t.match(off.json(), { error: { details: { reason: 'in_use' } } })
  t.equal((await callApi(gateway, 'DELETE /organization/saml', headers)).statusCode, 409)
  t.equal((await enforce(false)).statusCode, 200)
  t.equal((await callApi(gateway, 'DELETE /organization/saml', headers)).statusCode, 200)
})

t.test(
  'under enforcement a right password is the generic 401, and the provider still works',
  async (t) => {
    const { gateway, owner, idp, slug } = await ssoOrganization(t, 'example.com')
    const member = await addMember(gateway, owner, 'MEMBER')
    const { email } = member.identity.user
    const logInBy = (payload: object) => callApi(gateway, 'POST /auth/login', {}, payload)
    t.equal((await logInBy({ email, password })).statusCode, 200)
    await callApi(gateway, 'PATCH /organization', asMember(owner), { ssoEnforced: true })
    const [right, wrong] = [
      await logInBy({ email, password }),
      await logInBy({ email, password: 'something else' }),
    ]
    t.equal(right.statusCode, 401)
    t.equal(right.body, wrong.body)
    t.equal(
      (await callApi(gateway, 'POST /auth/check-2fa', {}, { email, password })).statusCode,
      401,
    )
    const asOwner = await logInBy({ email: owner.identity.user.email, password })
    t.equal(asOwner.statusCode, 401, 'nor does an OWNER without a second factor')
    t.equal((await logIn(gateway, slug, idp, { id: 'm', email })).statusCode, 303)
  },
)

t.test('enforcement ends sessions that were opened by password, and no others', async (t) => {
  const { gateway, owner: founder, idp, slug } = await ssoOrganization(t, 'example.com')
  const { member: owner } = await enrol(gateway, shiftedClock(), founder)
  const second = await addMember(gateway, owner, 'OWNER')
  const member = await addMember(gateway, owner, 'MEMBER')
  const { email } = member.identity.user
  const sso = cookieOf(await logIn(gateway, slug, idp, { id: 'm', email }))
  const { key } = await createApiKey(gateway, owner, ['organization:read'])
  const reads = async (headers: Record<string, string>) =>
    (await callApi(gateway, 'GET /organization', headers)).statusCode
  const callers: [string, Record<string, string>, number][] = [
    ['an OWNER with a second factor', asMember(owner), 200],
    ['an OWNER without one', asMember(second), 401],
    ['a member by password', asMember(member), 401],
    ['a member by the provider', { cookie: sso }, 200],
    ['a key', asKey(key), 200],
  ]
  for (const [name, headers] of callers) t.equal(await reads(headers), 200, `${name} before`)
  await callApi(gateway, 'PATCH /organization', asMember(owner), { ssoEnforced: true })
  for (const [name, headers, status] of callers) t.equal(await reads(headers), status, name)
  const body = { organizationId: owner.identity.organization.id }
  const back = await callApi(gateway, 'POST /auth/organization', asMember(member), body)
  t.equal(back.statusCode, 401, 'nor is another organization reached by one')
})

t.test('an invitation creates a member, who then logs in through the provider', async (t) => {
  const { gateway, owner: founder, idp, slug } = await ssoOrganization(t, 'example.com')
  const { member: owner } = await enrol(gateway, shiftedClock(), founder)
  const stranger = await registerMember(gateway)
  await callApi(gateway, 'PATCH /organization', asMember(owner), { ssoEnforced: true })
  const accept = async (email: string, headers = {}, more = {}) => {
    const body = { email, role: 'OWNER' }
    await callApi(gateway, 'POST /organization/invitations', asMember(owner), body)
    const payload = { token: await tokenFor(gateway, email), ...more }
    return callApi(gateway, 'POST /auth/invitations/accept', headers, payload)
  }
  const email = newEmail()
  const fresh = await accept(email, {}, { name: 'New', password })
  t.equal(fresh.statusCode, 201, fresh.body)
  t.equal(fresh.headers['set-cookie'], undefined, 'no session')
  t.equal((await callApi(gateway, 'POST /auth/login', {}, { email, password })).statusCode, 401)
  t.equal((await logIn(gateway, slug, idp, { id: 'n', email })).statusCode, 303)

  const known = await accept(stranger.identity.user.email, asMember(stranger))
  t.equal(known.statusCode, 200, known.body)
  t.equal(known.headers['set-cookie'], undefined)
  const me = await callApi(gateway, 'GET /auth/me', asMember(stranger))
  t.equal(me.statusCode, 200, 'the previous session stays valid')
})

t.test(
  'an OWNER with a second factor gets a session on joining, and all owners are notified',
  async (t) => {
    const { gateway, owner: founder } = await ssoOrganization(t)
    const { member: owner } = await enrol(gateway, shiftedClock(), founder)
    const { member: other } = await enrol(gateway, shiftedClock(), await registerMember(gateway))
    await callApi(gateway, 'PATCH /organization', asMember(owner), { ssoEnforced: true })
    const { email } = other.identity.user
    const body = { email, role: 'OWNER' }
    await callApi(gateway, 'POST /organization/invitations', asMember(owner), body)
    const payload = { token: await tokenFor(gateway, email) }
    const accepted = await callApi(
      gateway,
      'POST /auth/invitations/accept',
      asMember(other),
      payload,
    )
    const entered = { cookie: cookieOf(accepted) }
    t.equal((await callApi(gateway, 'GET /organization', entered)).statusCode, 200, accepted.body)
    const warned = await gateway.database.batchSql`
    SELECT payload->>'email' AS email FROM outbox WHERE payload->>'warning' = 'emergency_login'`
    t.same(new Set(warned.map((row) => row.email)), new Set([email, owner.identity.user.email]))
  },
)

t.test('a session of single sign-on neither shows nor reaches another organization', async (t) => {
  const { gateway, owner, idp, slug } = await ssoOrganization(t, 'example.com')
  const member = await addMember(gateway, owner, 'MEMBER')
  const other = await registerMember(gateway)
  const { email } = member.identity.user
  const invite = async () => {
    await callApi(gateway, 'POST /organization/invitations', asMember(other), { email })
    return { token: await tokenFor(gateway, email) }
  }
  const sso = {
    cookie: cookieOf(await logIn(gateway, slug, idp, { id: 'm', email })),
    'sec-fetch-site': 'same-origin',
  }
  const accepted = await callApi(gateway, 'POST /auth/invitations/accept', sso, await invite())
  t.equal(accepted.statusCode, 200, accepted.body)
  t.equal(accepted.headers['set-cookie'], undefined, 'single sign-on opens no other organization')
  const organizations = async (headers: Record<string, string>) =>
    (await callApi(gateway, 'GET /auth/me', headers)).json().organizations.map(idOf)
  const [own, foreign] = [owner, other].map(({ identity }) => identity.organization.id)
  t.same(await organizations(sso), [own])
  t.same(await organizations(asMember(member)), [own, foreign], 'a password shows both')
  const there = await callApi(gateway, 'POST /auth/organization', sso, { organizationId: foreign })
  t.match(
    [there.statusCode, there.json()],
    [400, { error: { details: { field: 'organizationId' } } }],
  )
})

const idOf = ({ id }: { id: string }) => id

t.test('a password login selects the first organization that admits it', async (t) => {
  const membership = (organizationId: string, role: string, ssoEnforced: boolean) => ({
    organizationId,
    role,
    ssoEnforced,
  })
  const [closed, open] = [membership('a', 'MEMBER', true), membership('b', 'MEMBER', false)]
  const without = { twoFactorEnabled: false }
  const withCode = { twoFactorEnabled: true }
  t.equal(firstMembershipAdmittingPassword([closed, open], without), open)
  t.equal(firstMembershipAdmittingPassword([closed], withCode), null)
  t.equal(firstMembershipAdmittingPassword([membership('a', 'OWNER', true)], without), null)
  t.match(firstMembershipAdmittingPassword([membership('a', 'OWNER', true)], withCode), {
    organizationId: 'a',
  })
})

t.test('every owner is notified of an emergency login', async (t) => {
  const { gateway, owner } = await ssoOrganization(t)
  const second = await addMember(gateway, owner, 'OWNER')
  await addMember(gateway, owner, 'ADMIN')
  const organizationId = owner.identity.organization.id
  const emergencyLogin = (ssoEnforced: boolean) =>
    asLookup(gateway.database, (systemScope) =>
      recordEmergencyLogin(systemScope, { organizationId, ssoEnforced }, { ipAddress: '::1' }),
    )
  const { events, changes } = await emergencyLogin(true)
  t.same(changes, { emergency: { to: true } })
  t.same(
    events.map(({ data }) => (data as { email: string }).email).sort(),
    [owner, second].map(({ identity }) => identity.user.email).sort(),
  )
  t.match(events[0], {
    kind: 'account.warned',
    data: { warning: 'emergency_login', ipAddress: '::1' },
  })
  t.same(await emergencyLogin(false), { events: [], changes: {} })
})

t.test(
  'an OWNER with a second factor can log in by password, and all owners are notified',
  async (t) => {
    const { gateway, owner } = await ssoOrganization(t)
    const { backupCodes, member } = await enrol(gateway, shiftedClock(), owner)
    await callApi(gateway, 'PATCH /organization', asMember(member), { ssoEnforced: true })
    const { email } = owner.identity.user
    const missing = await callApi(gateway, 'POST /auth/login', {}, { email, password })
    t.match(missing.json(), { error: { code: 'TWO_FACTOR_REQUIRED' } })
    const code = backupCodes[0]
    const entered = await callApi(gateway, 'POST /auth/login', {}, { email, password, code })
    t.equal(entered.statusCode, 200, entered.body)
    const rows = await gateway.database.batchSql`
    SELECT kind, payload->>'warning' AS warning, payload->'changes' AS changes FROM outbox
    ORDER BY seq DESC LIMIT 2`
    t.same(new Set(rows.map(({ kind }) => kind)), new Set(['account.warned', 'audit.recorded']))
    t.ok(rows.some(({ warning }) => warning === 'emergency_login'))
    t.match(JSON.stringify(rows), /emergency/)
  },
)
