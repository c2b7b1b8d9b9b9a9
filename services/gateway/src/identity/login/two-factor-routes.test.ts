/** Second factor over HTTP: enabled, renewed, disabled and sealed. */
import t from 'tap'
import { asMember, cookieOf, password, registerMember } from '../../gateway.fixture.ts'
import {
  codeAt,
  enrol,
  login,
  outbox,
  post,
  stage,
  wrongFor,
} from '../two-factor/two-factor.fixture.ts'

t.test('set-up has no effect before the first right code', async (t) => {
  const { clock, gateway, database } = await stage(t)
  const member = await registerMember(gateway)
  const elsewhere = { ...member, cookie: cookieOf(await login(gateway, member)) }
  const wrong = await post(gateway, '/auth/2fa/setup', { password: 'wrong one' }, asMember(member))
  t.match([wrong.statusCode, wrong.json().error.details.field], [400, 'password'])
  const setUp = await post(gateway, '/auth/2fa/setup', { password }, asMember(member))
  t.equal(setUp.statusCode, 200, setUp.body)
  const { secret, otpauthUrl, qrCode, qrCodeSvg, expiresAt } = setUp.json()
  t.match(secret, /^[A-Z2-7]{32}$/)
  const url = new URL(otpauthUrl)
  t.equal(url.searchParams.get('secret'), secret)
  t.equal(url.searchParams.get('issuer'), 'status.test')
  t.match(decodeURIComponent(url.pathname), member.identity.user.email)
  t.match(qrCode, /^data:image\/png;base64,/)
  t.match(qrCodeSvg, /^<svg /)
  t.ok(new Date(expiresAt).getTime() > Date.now())
  t.equal((await login(gateway, member)).statusCode, 200, 'not switched on yet')

  const asked = async (cookie: string) =>
    (await gateway.http.inject({ url: '/api/v1/auth/2fa', headers: { cookie } })).json()
  t.match(await asked(member.cookie), {
    enabled: false,
    enabledAt: null,
    backupCodesRemaining: 0,
  })
  const refused = await post(
    gateway,
    '/auth/2fa/verify',
    { code: wrongFor(codeAt(secret, clock)) },
    asMember(member),
  )
  t.match([refused.statusCode, refused.json().error.details.field], [400, 'code'])
  const code = codeAt(secret, clock)
  const verified = await post(gateway, '/auth/2fa/verify', { code }, asMember(member))
  t.equal(verified.statusCode, 200, verified.body)
  t.equal(verified.json().enabled, true)
  const codes: string[] = verified.json().backupCodes
  t.equal(new Set(codes).size, 10)
  for (const one of codes) t.match(one, /^[A-Z2-7]{4}(-[A-Z2-7]{4}){3}$/)
  t.equal((await asked(member.cookie)).error.code, 'UNAUTHORIZED', 'the token was renewed')
  t.equal((await asked(elsewhere.cookie)).error.code, 'UNAUTHORIZED', 'others ended')
  t.match(await asked(cookieOf(verified)), { enabled: true, backupCodesRemaining: 10 })
  const me = await gateway.http.inject({
    url: '/api/v1/auth/me',
    headers: { cookie: cookieOf(verified) },
  })
  t.equal(me.json().user.twoFactorEnabled, true)
  t.ok((await outbox(database)).includes('auth.2fa_enable'))
  const again = await post(
    gateway,
    '/auth/2fa/setup',
    { password },
    {
      cookie: cookieOf(verified),
    },
  )
  t.equal(again.statusCode, 409)
})

t.test('an unconfirmed secret expires after ten minutes', async (t) => {
  const { clock, gateway } = await stage(t)
  const member = await registerMember(gateway)
  const setUp = await post(gateway, '/auth/2fa/setup', { password }, asMember(member))
  clock.advance(10 * 60_000)
  const code = codeAt(setUp.json().secret, clock)
  const verified = await post(gateway, '/auth/2fa/verify', { code }, asMember(member))
  t.match([verified.statusCode, verified.json().error.details.reason], [409, 'invalid_state'])
})

t.test('a backup code works once, for its user, until the codes are replaced', async (t) => {
  const { clock, gateway } = await stage(t)
  const ana = await enrol(gateway, clock, await registerMember(gateway))
  const ben = await enrol(gateway, clock, await registerMember(gateway, 'Ben'))
  const [first = '', second = '', third = ''] = ana.backupCodes
  t.equal((await login(gateway, ben.member, first)).statusCode, 401, 'of another user')
  t.equal((await login(gateway, ana.member, first.toLowerCase())).statusCode, 200)
  t.equal((await login(gateway, ana.member, first)).statusCode, 401, 'twice')
  const entered = await login(gateway, ana.member, second.replaceAll('-', ''))
  const renewed = await post(
    gateway,
    '/auth/2fa/backup-codes',
    { password, code: codeAt(ana.secret, clock) },
    { cookie: cookieOf(entered) },
  )
  t.equal(renewed.statusCode, 200, renewed.body)
  t.equal((await login(gateway, ana.member, third)).statusCode, 401, 'an old one')
  const [fresh = ''] = renewed.json().backupCodes
  t.equal((await login(gateway, ana.member, fresh)).statusCode, 200)
})

t.test(
  'disabling the second factor needs password and code, and an organization may forbid it',
  async (t) => {
    const { clock, gateway, databases, inner } = await stage(t)
    const ana = await enrol(gateway, clock, await registerMember(gateway))
    const disable = (given: object, cookie = ana.member.cookie) =>
      post(gateway, '/auth/2fa/disable', given, { cookie })
    const code = () => codeAt(ana.secret, clock)
    const wrongPassword = await disable({ password: 'not the password', code: code() })
    t.match([wrongPassword.statusCode, wrongPassword.json().error.details.field], [400, 'password'])
    const wrongCode = await disable({ password, code: wrongFor(code()) })
    t.match([wrongCode.statusCode, wrongCode.json().error.details.field], [400, 'code'])

    const require2fa = async (isRequired: boolean) => {
      const admin = await databases.connect('gateway')
      const id = ana.member.identity.organization.id
      await admin.batchSql.begin(async (sql) => {
        await sql`SELECT set_config('app.org', ${id}, true)`
        await sql`UPDATE organizations SET require_2fa = ${isRequired} WHERE id = ${id}`
      })
    }
    await require2fa(true)
    const required = await disable({ password, code: code() })
    t.match(
      [required.statusCode, required.json().error.details.reason],
      [403, 'two_factor_enrolment_required'],
    )
    await require2fa(false)
    const off = await disable({ password, code: code() })
    t.same([off.statusCode, off.json()], [200, { success: true }])
    const again = await disable({ password, code: code() }, cookieOf(off))
    t.match([again.statusCode, again.json().error.details.reason], [409, 'invalid_state'])
    t.equal((await login(gateway, ana.member)).statusCode, 200, 'the password is enough')

    await require2fa(true)
    const cookie = cookieOf(await login(gateway, ana.member))
    const callApi = async (url: string) => {
      const response = await gateway.http.inject({ url: `/api/v1${url}`, headers: { cookie } })
      return response.json().error?.details?.reason ?? response.statusCode
    }
    t.equal(await callApi('/auth/me'), 200)
    t.equal(await callApi('/components'), 'two_factor_enrolment_required')
    t.equal(await callApi('/api-keys'), 'two_factor_enrolment_required')
    t.same(inner.requests, [], 'no upstream received a request')
    const enrolled = await enrol(gateway, clock, { ...ana.member, cookie })
    const inside = await gateway.http.inject({
      url: '/api/v1/api-keys',
      headers: { cookie: enrolled.member.cookie },
    })
    t.equal(inside.statusCode, 200)
  },
)

t.test(
  'a secret decrypts for its user only, and is re-encrypted with the new key on use',
  async (t) => {
    const { clock, gateway, databases, over } = await stage(t)
    const ana = await enrol(gateway, clock, await registerMember(gateway))
    const ben = await enrol(gateway, clock, await registerMember(gateway, 'Ben'))
    const { batchSql } = await databases.connect('gateway')
    const asLookup = <T>(
      work: (sql: Parameters<Parameters<typeof batchSql.begin>[1]>[0]) => Promise<T>,
    ) =>
      batchSql.begin(async (sql) => {
        await sql`SET LOCAL ROLE status_page_gateway_lookup`
        return work(sql)
      })
    const secrets = async () =>
      new Map(
        (await asLookup((sql) => sql`SELECT user_id, sealed_secret FROM two_factor`)).map((row) => [
          row.user_id,
          String(row.sealed_secret),
        ]),
      )
    const put = (userId: string, sealed: string) =>
      asLookup(
        (sql) => sql`UPDATE two_factor SET sealed_secret = ${sealed} WHERE user_id = ${userId}`,
      )
    const [anaId, benId] = [ana.member.identity.user.id, ben.member.identity.user.id]
    const before = await secrets()
    t.notMatch(before.get(anaId), ana.secret)
    await put(anaId, before.get(benId) ?? '')
    t.equal((await login(gateway, ana.member, codeAt(ana.secret, clock))).statusCode, 401)
    t.equal((await login(gateway, ana.member, codeAt(ben.secret, clock))).statusCode, 401)
    t.equal((await login(gateway, ana.member, ana.backupCodes[0])).statusCode, 401)
    await put(anaId, before.get(anaId) ?? '')

    const rotated = await over({
      ENCRYPTION_KEY: 'fedcba9876543210fedcba9876543210',
      ENCRYPTION_KEY_PREVIOUS: '0123456789abcdef0123456789abcdef',
    })
    t.equal((await login(rotated, ana.member, codeAt(ana.secret, clock))).statusCode, 200)
    t.not((await secrets()).get(anaId), before.get(anaId), 'sealed again')
    t.equal((await secrets()).get(benId), before.get(benId))
    const done = await over({ ENCRYPTION_KEY: 'fedcba9876543210fedcba9876543210' })
    t.equal((await login(done, ana.member, ana.backupCodes[1])).statusCode, 200, 'codes live on')
    t.equal((await login(done, ben.member, codeAt(ben.secret, clock))).statusCode, 401)
  },
)
