/** Invitations over HTTP: from the mail to the membership. */
import { systemActor } from '@status-page/contracts'
import { transact } from '@status-page/postgres'
import { shiftedClock } from '@status-page/testing'
import t from 'tap'
import {
  asKey,
  asMember,
  cookieOf,
  createApiKey,
  gatewayOver,
  password,
  registerMember,
  type SignedInMember,
  testGateway,
} from '../../gateway.fixture.ts'
import {
  addMember,
  audited,
  callApi,
  type Gateway,
  newEmail,
  tokenFor,
  verifyEmail,
} from '../../organization.fixture.ts'
import { MAX_OPEN_INVITATIONS } from './rules.ts'
import { insertInvitation } from './store.ts'

const DAY_MS = 24 * 3_600_000

const invite = (gateway: Gateway, by: SignedInMember, body: object) =>
  callApi(gateway, 'POST /organization/invitations', asMember(by), body)

const accept = (gateway: Pick<Gateway, 'http'>, body: object, headers = {}) =>
  callApi(gateway, 'POST /auth/invitations/accept', headers, body)

t.test(
  'an invitation is mailed with a sealed token, stored hashed, listed and withdrawn',
  async (t) => {
    const gateway = await testGateway(t)
    const owner = await registerMember(gateway, 'Ana')
    const sent = await invite(gateway, owner, { email: 'New@Example.com' })
    t.equal(sent.statusCode, 201, sent.body)
    const { id, ...invitation } = sent.json()
    t.match(invitation, { email: 'new@example.com', role: 'MEMBER', status: 'pending' })
    const validMs = Date.parse(invitation.expiresAt) - Date.parse(invitation.createdAt)
    t.equal(validMs, 7 * DAY_MS)
    const [event] = await gateway.database.batchSql`
    SELECT aggregate_id, payload FROM outbox WHERE kind = 'account.invited'`
    t.match(event, {
      aggregate_id: id,
      payload: {
        email: 'new@example.com',
        name: null,
        userId: null,
        invitedBy: 'Ana',
        organizationName: owner.identity.organization.name,
      },
    })
    const token = await tokenFor(gateway, 'new@example.com')
    t.match(token, /^[\w-]{43}$/)
    const rows = await gateway.database.batchSql`SELECT payload::text AS text FROM outbox`
    t.notOk(
      rows.some(({ text }) => String(text).includes(token)),
      'nowhere in the open',
    )
    t.notMatch(sent.body, token)

    const again = await invite(gateway, owner, { email: 'new@example.com' })
    t.equal(again.statusCode, 409)
    t.equal(again.json().error.details.reason, 'duplicate')
    const member = await invite(gateway, owner, { email: owner.identity.user.email })
    t.equal(member.statusCode, 409)

    const list = (await callApi(gateway, 'GET /organization/invitations', asMember(owner))).json()
    t.same(list, { data: [sent.json()], meta: { total: 1, page: 1, pageSize: 20 } })
    const stranger = await registerMember(gateway)
    const one = `DELETE /organization/invitations/${id}`
    t.equal((await callApi(gateway, one, asMember(stranger))).statusCode, 404)
    t.same((await callApi(gateway, one, asMember(owner))).json(), { success: true })
    const late = await accept(gateway, { token, name: 'New', password })
    t.equal(late.statusCode, 400)
    t.equal(late.json().error.details.field, 'token')
    const entries = (await audited(gateway, owner)).map(({ action }) => action)
    t.same(entries.slice(1), ['invitation.create', 'invitation.delete'])
  },
)

t.test("roles beyond the caller's rights and unknown roles cannot be invited to", async (t) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  const admin = await addMember(gateway, owner, 'ADMIN')
  const { key } = await createApiKey(gateway, owner, ['organization:write'])
  const asOwner = await invite(gateway, admin, { email: newEmail(), role: 'OWNER' })
  t.equal(asOwner.json().error.details.reason, 'owner_required')
  const beyond = await callApi(gateway, 'POST /organization/invitations', asKey(key), {
    email: newEmail(),
    role: 'VIEWER',
  })
  t.match(beyond.json().error, { details: { permission: 'components:read' } })
  const cases: [object, string][] = [
    [{ email: newEmail(), role: 'NOBODY' }, 'role'],
    [{ email: 'nonsense' }, 'email'],
    [{}, 'email'],
  ]
  for (const [body, field] of cases) {
    const response = await invite(gateway, owner, body)
    t.equal(response.statusCode, 400)
    t.equal(response.json().error.details.field, field)
  }
})

t.test(
  'a new user joins with name and password, once, also while registration is closed',
  async (t) => {
    const gateway = await testGateway(t)
    const closed = gatewayOver(t, gateway.database, { REGISTRATION: 'closed' })
    const owner = await registerMember(gateway)
    const email = newEmail()
    await invite(gateway, owner, { email, role: 'VIEWER' })
    const token = await tokenFor(gateway, email)
    const bare = await accept(closed, { token })
    t.equal(bare.statusCode, 400)
    t.same(
      bare.json().error.details.issues.map(({ field }: { field: string }) => field),
      ['name', 'password'],
    )
    const own = await accept(closed, { token, name: 'Bob', password: email })
    t.equal(own.json().error.details.field, 'password')
    const crossSite = { 'sec-fetch-site': 'cross-site' }
    const forged = await accept(closed, { token, name: 'Bob', password }, crossSite)
    t.equal(forged.statusCode, 403)
    const tries = await Promise.all(
      [1, 2].map(() => accept(closed, { token, name: 'Bob', password })),
    )
    const [membershipCreated] = tries.filter(({ statusCode }) => statusCode === 201)
    t.equal(tries.filter(({ statusCode }) => statusCode === 201).length, 1, 'a token is used once')
    t.match(membershipCreated?.json(), {
      user: { email, name: 'Bob', twoFactorEnabled: false },
      organization: { id: owner.identity.organization.id, role: 'VIEWER' },
    })
    if (membershipCreated === undefined) return
    const me = await callApi(gateway, 'GET /auth/me', { cookie: cookieOf(membershipCreated) })
    t.equal(me.json().organization.role, 'VIEWER')
    const login = await callApi(gateway, 'POST /auth/login', {}, { email, password })
    t.equal(login.statusCode, 200)
    const list = (await callApi(gateway, 'GET /organization/invitations', asMember(owner))).json()
    t.equal(list.data[0].status, 'accepted')
    const late = await callApi(
      gateway,
      `DELETE /organization/invitations/${list.data[0].id}`,
      asMember(owner),
    )
    t.equal(late.statusCode, 409)
    const entries = await audited(gateway, owner)
    t.match(entries.at(-2) ?? entries.at(-1), { action: /member.create|auth.login/ })
  },
)

t.test('a user with an account accepts only with their own session', async (t) => {
  const gateway = await testGateway(t)
  const [owner, invitee, third] = [
    await registerMember(gateway),
    await registerMember(gateway),
    await registerMember(gateway),
  ]
  const { email } = invitee.identity.user
  await verifyEmail(gateway, invitee)
  await invite(gateway, owner, { email, role: 'ADMIN' })
  const token = await tokenFor(gateway, email)
  for (const headers of [{}, asMember(third)]) {
    const refused = await accept(
      gateway,
      { token, name: 'Taken', password: 'another one' },
      headers,
    )
    t.equal(refused.statusCode, 401)
  }
  const membershipCreated = await accept(gateway, { token }, asMember(invitee))
  t.equal(membershipCreated.statusCode, 200, membershipCreated.body)
  t.match(membershipCreated.json(), {
    user: { id: invitee.identity.user.id, name: invitee.identity.user.name },
    organization: { id: owner.identity.organization.id, role: 'ADMIN' },
  })
  const me = (
    await callApi(gateway, 'GET /auth/me', { cookie: cookieOf(membershipCreated) })
  ).json()
  t.equal(me.organizations.length, 2)
  t.equal((await callApi(gateway, 'GET /auth/me', asMember(invitee))).statusCode, 401, 'renewed')
  const login = await callApi(gateway, 'POST /auth/login', {}, { email, password })
  t.equal(login.statusCode, 200, 'the password is the old one')
})

t.test('an account without memberships joins like a new user', async (t) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  const gone = await addMember(gateway, owner, 'VIEWER')
  const { id, email } = gone.identity.user
  await callApi(gateway, `DELETE /organization/members/${id}`, asMember(owner))
  const login = { email, password }
  t.equal((await callApi(gateway, 'POST /auth/login', {}, login)).statusCode, 401)
  await invite(gateway, owner, { email })
  const token = await tokenFor(gateway, email)
  const back = await accept(gateway, { token, name: 'Back', password: 'a new password' })
  t.equal(back.statusCode, 201, back.body)
  t.match(back.json().user, { id, name: 'Back' })
})

t.test("a refused acceptance does not end the caller's session", async (t) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  const caller = await registerMember(gateway)
  const { email } = caller.identity.user
  await invite(gateway, owner, { email })
  const token = await tokenFor(gateway, email)
  await callApi(gateway, 'PATCH /organization', asMember(owner), {
    allowedEmailDomains: ['elsewhere.example'],
  })
  const refused = await accept(gateway, { token }, asMember(caller))
  t.equal(refused.statusCode, 400, refused.body)
  t.equal((await callApi(gateway, 'GET /auth/me', asMember(caller))).statusCode, 200)
})

t.test('only addresses of the allowed domains can be invited and can join', async (t) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  const allow = (allowedEmailDomains: string[]) =>
    callApi(gateway, 'PATCH /organization', asMember(owner), { allowedEmailDomains })
  await invite(gateway, owner, { email: 'early@elsewhere.org' })
  await allow(['example.com'])
  for (const email of ['a@elsewhere.org', 'a@sub.example.com', 'a@notexample.com']) {
    const refused = await invite(gateway, owner, { email })
    t.equal(refused.statusCode, 400, email)
    t.equal(refused.json().error.details.field, 'email')
  }
  t.equal((await invite(gateway, owner, { email: 'a@EXAMPLE.com' })).statusCode, 201)
  const token = await tokenFor(gateway, 'early@elsewhere.org')
  const late = await accept(gateway, { token, name: 'Early', password })
  t.equal(late.statusCode, 400, 'checked again on acceptance')
  await allow([])
  t.equal((await accept(gateway, { token, name: 'Early', password })).statusCode, 201)
})

t.test('an invitation expires after seven days and can be replaced', async (t) => {
  const gateway = await testGateway(t)
  const clock = shiftedClock()
  const later = gatewayOver(t, await gateway.databases.connect('gateway', { clock }))
  const owner = await registerMember(gateway)
  const email = newEmail()
  const { id } = (await invite(gateway, owner, { email })).json()
  const token = await tokenFor(gateway, email)
  clock.advance(7 * DAY_MS)
  const login = { email: owner.identity.user.email, password }
  const again = { ...owner, cookie: cookieOf(await callApi(later, 'POST /auth/login', {}, login)) }
  const list = (await callApi(later, 'GET /organization/invitations', asMember(again))).json()
  t.match(list.data, [{ id, status: 'expired' }])
  t.equal((await accept(later, { token, name: 'Late', password })).statusCode, 400)
  const fresh = await callApi(later, 'POST /organization/invitations', asMember(again), { email })
  t.equal(fresh.statusCode, 201, fresh.body)
})

t.test('an organization has at most a thousand open invitations', async (t) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  const by = { organizationId: owner.identity.organization.id, actor: systemActor }
  const days = (count: number) => new Date(Date.now() + count * DAY_MS)
  await transact(gateway.database, by, async (scope) => {
    const write = (index: number, expiresAt: Date) =>
      insertInvitation(scope, {
        email: `p${index}@example.com`,
        role: 'MEMBER',
        tokenHash: `hash ${index}`,
        invitedBy: null,
        expiresAt,
      })
    for (let index = 1; index < MAX_OPEN_INVITATIONS; index++) await write(index, days(7))
    await write(0, days(-1))
    return { result: null }
  })
  t.equal((await invite(gateway, owner, { email: newEmail() })).statusCode, 201)
  const refused = await invite(gateway, owner, { email: newEmail() })
  t.equal(refused.statusCode, 409)
  t.match(refused.json(), { error: { details: { reason: 'invalid_state' } } })
})

t.test('an invitation that is sent again replaces the earlier one and its link', async (t) => {
  const gateway = await testGateway(t)
  const [owner, other] = [await registerMember(gateway), await registerMember(gateway)]
  const email = newEmail()
  const first = (await invite(gateway, owner, { email, role: 'VIEWER' })).json()
  const firstToken = await tokenFor(gateway, email)
  const resend = (by: SignedInMember, id: string) =>
    callApi(gateway, `POST /organization/invitations/${id}/resend`, asMember(by))
  t.equal((await resend(other, first.id)).statusCode, 404, 'of another organization')
  const sent = await resend(owner, first.id)
  t.equal(sent.statusCode, 200, sent.body)
  t.match(sent.json(), { email, role: 'VIEWER', status: 'pending' })
  t.not(sent.json().id, first.id)
  t.equal((await resend(owner, first.id)).statusCode, 404, 'it was replaced')
  const fields = { name: 'Ben', password }
  t.equal((await accept(gateway, { token: firstToken, ...fields })).statusCode, 400)
  const token = await tokenFor(gateway, email)
  t.equal((await accept(gateway, { token, ...fields })).statusCode, 201)
  const late = await resend(owner, sent.json().id)
  t.equal(late.statusCode, 409)
  t.match(late.json().error.details, { reason: 'invalid_state' })
})
