/**
 * Passwords over HTTP: a change ends the other sessions, and a mailed token resets a password once.
 */
import { asLookup } from '@status-page/postgres'
import { createSealer } from '@status-page/secrets'
import { eventually, shiftedClock } from '@status-page/testing'
import { sql } from 'drizzle-orm'
import t, { type Test } from 'tap'
import {
  asMember,
  cookieOf,
  gatewayOver,
  password,
  registerMember,
  runJob,
  type SignedInMember,
  testGateway,
} from '../../gateway.fixture.ts'

const newPassword = 'a different horse'

const stage = async (t: Test) => {
  const clock = shiftedClock()
  const { databases, database } = await testGateway(t)
  const gateway = gatewayOver(t, await databases.connect('gateway', { clock }))
  const post = (path: string, payload: object, headers = {}) =>
    gateway.http.inject({ method: 'POST', url: `/api/v1/auth/${path}`, headers, payload })
  const login = (member: SignedInMember, given: string) =>
    post('login', { email: member.identity.user.email, password: given })
  const me = async (cookie: string) =>
    (await gateway.http.inject({ url: '/api/v1/auth/me', headers: { cookie } })).statusCode
  const mails = () => database.batchSql<
    { aggregate_id: string; organization_id: string; payload: Mail }[]
  >`
    SELECT aggregate_id, organization_id, payload FROM outbox
    WHERE kind = 'account.reset-requested' ORDER BY seq`
  const actions = async () =>
    (
      await database.batchSql`
      SELECT payload->>'action' AS action FROM outbox WHERE kind = 'audit.recorded' ORDER BY seq`
    ).map(({ action }) => action)
  return { clock, database, gateway, post, login, me, mails, actions }
}

interface Mail {
  email: string
  sealedToken: string
  expiresAt: string
}

/** Opens the sealed token of the mail, as the mailing service does. */
const tokenOf = (mail: { aggregate_id: string; organization_id: string; payload: Mail }): string =>
  createSealer({ current: '0123456789abcdef0123456789abcdef' }).open(mail.payload.sealedToken, {
    organizationId: mail.organization_id,
    purpose: 'mail-token',
    recordId: mail.aggregate_id,
  })

t.test('a changed password ends the other sessions and renews this one', async (t) => {
  const { gateway, post, login, me, actions } = await stage(t)
  const member = await registerMember(gateway)
  const other = cookieOf(await login(member, password))
  const change = (body: object, cookie = member.cookie) =>
    post('password', body, { ...asMember(member), cookie })
  const wrong = await change({ currentPassword: 'not the password', newPassword })
  t.match([wrong.statusCode, wrong.json().error.details.field], [400, 'currentPassword'])
  const own = await change({ currentPassword: password, newPassword: member.identity.user.email })
  t.match([own.statusCode, own.json().error.details.field], [400, 'newPassword'])
  const long = await change({ currentPassword: password, newPassword: 'ä'.repeat(37) })
  t.match([long.statusCode, long.json().error.details.field], [400, 'newPassword'])
  t.equal(await me(other), 200, 'a refusal ends nothing')

  const changed = await change({ currentPassword: password, newPassword })
  t.same([changed.statusCode, changed.json()], [200, { success: true }])
  t.equal(await me(other), 401)
  t.equal(await me(member.cookie), 401)
  t.equal(await me(cookieOf(changed)), 200)
  t.equal((await login(member, password)).statusCode, 401)
  t.equal((await login(member, newPassword)).statusCode, 200)
  t.equal((await actions()).filter((action) => action === 'auth.password_change').length, 1)
})

t.test('the second of two concurrent changes is refused', async (t) => {
  const { gateway, post, login } = await stage(t)
  const member = await registerMember(gateway)
  const both = [newPassword, 'yet another horse']
  const responses = await Promise.all(
    both.map((one) =>
      post('password', { currentPassword: password, newPassword: one }, asMember(member)),
    ),
  )
  const winners = responses.filter(({ statusCode }) => statusCode === 200)
  t.equal(winners.length, 1)
  const statuses = await Promise.all(both.map(async (one) => (await login(member, one)).statusCode))
  t.same(statuses.sort(), [200, 401])
})

t.test('a login fails when its password changes after the comparison', async (t) => {
  const { database, gateway, login } = await stage(t)
  const member = await registerMember(gateway)
  const { id } = member.identity.user
  const response = await database.batchSql.begin(async (sql) => {
    await sql`SET LOCAL ROLE status_page_gateway_lookup`
    await sql`SELECT id FROM users WHERE id = ${id} FOR UPDATE`
    const pending = login(member, password)
    await eventually(async () => {
      const blocked = await sql`
        SELECT FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))`
      return blocked.length === 1
    })
    await sql`UPDATE users SET password_hash = 'another' WHERE id = ${id}`
    return { pending }
  })
  t.equal((await response.pending).statusCode, 401)
})

t.test('a reset mail sets the password once and ends all sessions', async (t) => {
  const { gateway, post, login, me, mails, actions } = await stage(t)
  const member = await registerMember(gateway)
  const { email } = member.identity.user
  const asked = await post('password/forgot', { email: email.toUpperCase() })
  t.same([asked.statusCode, asked.json()], [202, { success: true }])
  await eventually(async () => (await mails()).length === 1)
  const [mail] = await mails()
  t.match(mail?.payload, { email, userId: member.identity.user.id })
  const token = tokenOf(mail as never)
  t.notMatch(JSON.stringify(mail), token)

  const refused = await post('password/reset', { token, newPassword: email })
  t.match([refused.statusCode, refused.json().error.details.field], [400, 'newPassword'])
  const attempts = await Promise.all([
    post('password/reset', { token, newPassword }),
    post('password/reset', { token, newPassword }),
  ])
  t.same(attempts.map(({ statusCode }) => statusCode).sort(), [200, 400])
  for (const { headers } of attempts) t.equal(headers['set-cookie'], undefined)
  t.equal(await me(member.cookie), 401)
  t.equal((await login(member, password)).statusCode, 401)
  t.equal((await login(member, newPassword)).statusCode, 200)
  const again = await post('password/reset', { token, newPassword })
  t.match([again.statusCode, again.json().error.details.field], [400, 'token'])
  t.equal((await actions()).filter((action) => action === 'auth.password_reset').length, 1)
})

t.test('a token expires after an hour or with the next change of the password', async (t) => {
  const { clock, gateway, post, mails } = await stage(t)
  const member = await registerMember(gateway)
  const { email } = member.identity.user
  for (const count of [1, 2]) {
    await post('password/forgot', { email })
    await eventually(async () => (await mails()).length === count)
  }
  const [first, second] = (await mails()).map(tokenOf)
  t.equal((await post('password/reset', { token: first, newPassword })).statusCode, 200)
  t.equal((await post('password/reset', { token: second, newPassword })).statusCode, 400)
  await post('password/forgot', { email })
  await eventually(async () => (await mails()).length === 3)
  const third = (await mails()).map(tokenOf)[2]
  clock.advance(3_600_000)
  t.equal((await post('password/reset', { token: third, newPassword })).statusCode, 400)
})

t.test(
  'an address gets three mails an hour, an unknown one none, with the same response',
  async (t) => {
    const { clock, database, gateway, post, mails } = await stage(t)
    const { email } = (await registerMember(gateway)).identity.user
    const unknown = { email: 'nobody@example.com' }
    const responses: string[] = []
    for (let count = 0; count < 5; count++) {
      for (const body of [{ email }, unknown]) {
        const { statusCode, body: text } = await post('password/forgot', body)
        responses.push(`${statusCode} ${text}`)
      }
    }
    t.same([...new Set(responses)], ['202 {"success":true}'])
    await eventually(async () => (await mails()).length === 3)
    clock.advance(3_600_000)
    await post('password/forgot', { email })
    await eventually(async () => (await mails()).length === 4)
    t.equal((await mails()).length, 4)
    await runJob(gateway, 'retention-identity')
    const stored = await asLookup(database, ({ tx }) =>
      tx.execute(sql`SELECT key FROM reset_requests`),
    )
    t.notMatch(JSON.stringify(stored), '@', 'hashes, never addresses')
  },
)
