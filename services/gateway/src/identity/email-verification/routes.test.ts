/**
 * Verification of addresses: an account that never verified its address does not block the owner of
 * the mailbox.
 */
import { eventually, shiftedClock } from '@status-page/testing'
import t from 'tap'
import {
  logIn,
  refusals,
  ssoOrganization,
} from '../../access/single-sign-on/single-sign-on.fixture.ts'
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
import { addMember, audited, callApi, tokenFor, verifyEmail } from '../../organization.fixture.ts'

const VERIFICATION = 'account.verification-requested'

t.test(
  'a new account works at once, and its address is verified by the mailed token',
  async (t) => {
    const gateway = await testGateway(t)
    const [ana, eve] = [await registerMember(gateway), await registerMember(gateway)]
    const me = async () => (await callApi(gateway, 'GET /auth/me', asMember(ana))).json().user
    t.equal((await me()).emailVerified, false)
    t.equal((await callApi(gateway, 'GET /organization/members', asMember(ana))).statusCode, 200)
    const { email } = ana.identity.user
    const token = await tokenFor(gateway, email, VERIFICATION)
    const rows = await gateway.database.batchSql`SELECT payload::text AS text FROM outbox`
    t.notOk(
      rows.some(({ text }) => String(text).includes(token)),
      'the token travels sealed',
    )
    const verify = (headers: Record<string, string>, candidate = token) =>
      callApi(gateway, 'POST /auth/email/verify', headers, { token: candidate })
    t.equal((await verify({})).statusCode, 401, 'a mail that is opened verifies nothing')
    const foreign = await verify(asMember(eve))
    t.equal(foreign.statusCode, 400)
    t.equal(foreign.json().error.details.field, 'token')
    t.equal((await verify(asMember(ana), 'x'.repeat(43))).statusCode, 400)
    const { key } = await createApiKey(gateway, ana, ['organization:write'])
    t.equal((await verify(asKey(key))).statusCode, 403)
    t.equal((await me()).emailVerified, false)
    t.same((await verify(asMember(ana))).json(), { success: true })
    t.equal((await me()).emailVerified, true)
    t.equal((await verify(asMember(ana))).statusCode, 400, 'a token works once')
    t.equal((await audited(gateway, ana)).at(-1)?.action, 'auth.email_verify')
  },
)

t.test(
  'the mail can be requested three times an hour, and its token expires after seven days',
  async (t) => {
    const gateway = await testGateway(t)
    const ana = await registerMember(gateway)
    const { email } = ana.identity.user
    const mails = async () =>
      (await gateway.database.batchSql`SELECT 1 FROM outbox WHERE kind = ${VERIFICATION}`).length
    const again = () => callApi(gateway, 'POST /auth/email/verification', asMember(ana))
    for (let sent = 0; sent < 5; sent++) t.equal((await again()).statusCode, 202)
    t.equal(await mails(), 4)
    const token = await tokenFor(gateway, email, VERIFICATION)
    const clock = shiftedClock()
    const later = gatewayOver(t, await gateway.databases.connect('gateway', { clock }))
    clock.advance(7 * 24 * 3_600_000)
    const { headers } = await callApi(later, 'POST /auth/login', {}, { email, password })
    const cookie = cookieOf({ headers } as never)
    const late = { cookie, 'sec-fetch-site': 'same-origin' }
    t.equal((await callApi(later, 'POST /auth/email/verify', late, { token })).statusCode, 400)
    await verifyEmail(gateway, ana)
    await again()
    t.equal(await mails(), 4, 'none to a verified address')
  },
)

t.test('a test mail goes to the own address, three times an hour', async (t) => {
  const clock = shiftedClock()
  const gateway = await testGateway(t)
  const ana = await registerMember(gateway)
  const { email, id: userId } = ana.identity.user
  type Gateway = Parameters<typeof callApi>[0]
  const send = (over: Gateway = gateway, headers: Record<string, string> = asMember(ana)) =>
    callApi(over, 'POST /auth/email/test', headers)
  const replies = [await send(), await send(), await send()]
  t.same(
    replies.map(({ statusCode }) => statusCode),
    [202, 202, 202],
  )
  const rows = await gateway.database.batchSql`
    SELECT payload FROM outbox WHERE kind = 'account.test-requested'`
  t.equal(rows.length, 3)
  t.match(rows[0]?.payload, { email, userId })
  t.equal((await audited(gateway, ana)).at(-1)?.action, 'auth.email_test')
  const refused = await send()
  t.equal(refused.statusCode, 429)
  t.match(refused.json().error.details, { limit: 3, window: '3600s', bucket: 'account' })
  t.ok(Number(refused.headers['retry-after']) > 3_500)
  const { key } = await createApiKey(gateway, ana, ['organization:write'])
  t.equal((await send(gateway, asKey(key))).statusCode, 403)
  t.equal((await send(gateway, {})).statusCode, 401)
  const later = gatewayOver(t, await gateway.databases.connect('gateway', { clock }))
  clock.advance(3_700_000)
  t.equal((await send(later)).statusCode, 202)
})

t.test('a registered address without proof does not block the first SSO login', async (t) => {
  const { gateway, owner, idp, slug } = await ssoOrganization(t, 'example.com')
  const stranger = await registerMember(gateway)
  const { id, email } = stranger.identity.user
  const victim = { id: 'victim', email }
  const entered = await logIn(gateway, slug, idp, victim)
  t.equal(entered.statusCode, 303, entered.body)
  const me = (await callApi(gateway, 'GET /auth/me', { cookie: cookieOf(entered) })).json()
  t.match(me, { user: { email, emailVerified: true }, organizations: [{ slug }] })
  t.not(me.user.id, id)
  t.equal(me.organizations.length, 1, 'the owner of the address receives none of the other account')
  const left = (await callApi(gateway, 'GET /auth/me', asMember(stranger))).json()
  t.equal(left.user.email, `${id}@address-released.invalid`)
  t.equal((await audited(gateway, stranger)).at(-1)?.action, 'member.update')
  const [event] = await gateway.database.batchSql`
    SELECT payload FROM outbox WHERE kind = 'member.updated'
      AND organization_id = ${stranger.identity.organization.id}`
  t.match(event?.payload, { member: { userId: id, email: left.user.email } })
  const login = await callApi(gateway, 'POST /auth/login', {}, { email, password })
  t.equal(login.statusCode, 401, 'the password of the other account is refused')
  t.equal((await logIn(gateway, slug, idp, victim)).statusCode, 303)
  t.same(await refusals(gateway, owner), [])
})

t.test('a verified account of another organization is not claimed', async (t) => {
  const { gateway, owner, idp, slug } = await ssoOrganization(t, 'example.com')
  const ana = await registerMember(gateway)
  await verifyEmail(gateway, ana)
  const refused = await logIn(gateway, slug, idp, { id: 'x', email: ana.identity.user.email })
  t.equal(refused.statusCode, 401)
  t.same(await refusals(gateway, owner), ['foreign_account'])
  t.equal((await callApi(gateway, 'GET /auth/me', asMember(ana))).statusCode, 200)
})

t.test('a registered address without proof does not block an invitation', async (t) => {
  const gateway = await testGateway(t)
  const [owner, stranger] = [await registerMember(gateway), await registerMember(gateway)]
  const { id, email } = stranger.identity.user
  await callApi(gateway, 'POST /organization/invitations', asMember(owner), { email })
  const token = await tokenFor(gateway, email)
  const accept = (body: object) =>
    callApi(gateway, 'POST /auth/invitations/accept', {}, { token, ...body })
  t.equal((await accept({})).statusCode, 401)
  const membershipCreated = await accept({ name: 'Victim', password: 'the password of the owner' })
  t.equal(membershipCreated.statusCode, 201, membershipCreated.body)
  t.not(membershipCreated.json().user.id, id)
  const me = (
    await callApi(gateway, 'GET /auth/me', { cookie: cookieOf(membershipCreated) })
  ).json()
  t.match(me.user, { email, emailVerified: true })
  t.equal(me.organizations.length, 1)
})

t.test('an accepted invitation verifies the address', async (t) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  const { cookie } = await addMember(gateway, owner, 'VIEWER')
  const me = (await callApi(gateway, 'GET /auth/me', { cookie })).json()
  t.equal(me.user.emailVerified, true)
})

t.test('a reset of a registered password does not bind the address to it', async (t) => {
  const { gateway, slug, idp } = await ssoOrganization(t, 'example.com')
  const stranger = await registerMember(gateway)
  const { id, email } = stranger.identity.user
  await callApi(gateway, 'POST /auth/password/forgot', {}, { email })
  const kind = 'account.reset-requested'
  const token = await eventually(() => tokenFor(gateway, email, kind).catch(() => false as const))
  const reset = { token, newPassword: 'another good password' }
  t.equal((await callApi(gateway, 'POST /auth/password/reset', {}, reset)).statusCode, 200)
  const entered = await logIn(gateway, slug, idp, { id: 'victim', email })
  t.equal(entered.statusCode, 303, entered.body)
  const me = (await callApi(gateway, 'GET /auth/me', { cookie: cookieOf(entered) })).json()
  t.not(me.user.id, id)
})
