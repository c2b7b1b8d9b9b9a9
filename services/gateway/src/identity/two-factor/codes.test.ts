/** Login with a second factor: codes are valid once, and wrong codes lock the account. */
import t from 'tap'
import { password, registerMember } from '../../gateway.fixture.ts'
import {
  codeAt,
  enrol,
  login,
  outbox,
  post,
  settle,
  stage,
  wrongFor,
} from './two-factor.fixture.ts'

t.test('a code is requested only after a right password', async (t) => {
  const { clock, gateway } = await stage(t)
  const { member, secret } = await enrol(gateway, clock, await registerMember(gateway))
  const { email } = member.identity.user
  const without = await login(gateway, member)
  t.match([without.statusCode, without.json().error.code], [401, 'TWO_FACTOR_REQUIRED'])
  t.equal(without.headers['set-cookie'], undefined)
  const badPassword = { email, password: 'not the password', code: codeAt(secret, clock) }
  const wrongPassword = await post(gateway, '/auth/login', badPassword)
  const wrongCode = await login(gateway, member, wrongFor(codeAt(secret, clock)))
  t.equal(wrongPassword.statusCode, 401)
  t.same(wrongPassword.json(), wrongCode.json(), 'one text for both')
  const check = (given: string) =>
    post(gateway, '/auth/check-2fa', { email: email.toUpperCase(), password: given })
  t.same((await check(password)).json(), { twoFactorRequired: true })
  t.same((await check('not the password')).json(), wrongPassword.json())
  const right = await login(gateway, member, codeAt(secret, clock))
  t.equal(right.statusCode, 200, right.body)
  t.equal(right.json().user.twoFactorEnabled, true)
})

t.test(
  'codes are accepted one step either side, once, and never before the last used one',
  async (t) => {
    const { clock, gateway } = await stage(t)
    const { member, secret } = await enrol(gateway, clock, await registerMember(gateway))
    const statusAt = async (steps: number) =>
      (await login(gateway, member, codeAt(secret, clock, steps))).statusCode
    settle(clock)
    t.equal(await statusAt(-2), 401)
    t.equal(await statusAt(2), 401)
    t.equal(await statusAt(-1), 200)
    t.equal(await statusAt(-1), 401, 'the same twice')
    t.equal(await statusAt(1), 200)
    t.equal(await statusAt(0), 401, 'the current one after the next')
  },
)

t.test('only one of several parallel logins with the same code succeeds', async (t) => {
  const { clock, gateway, over } = await stage(t)
  const other = await over()
  const { member, secret, backupCodes } = await enrol(gateway, clock, await registerMember(gateway))
  for (const code of [codeAt(secret, clock), backupCodes[0]]) {
    const responses = await Promise.all([
      login(gateway, member, code),
      login(other, member, code),
      login(gateway, member, code),
    ])
    t.same(responses.map(({ statusCode }) => statusCode).sort(), [200, 401, 401])
    clock.advance(15 * 60_000)
  }
})

t.test('malformed codes are refused and cause no error', async (t) => {
  const { clock, gateway } = await stage(t)
  const { member, secret } = await enrol(gateway, clock, await registerMember(gateway))
  const right = codeAt(secret, clock)
  const fullWidth = [...right].map((digit) => String.fromCodePoint(0xff10 + Number(digit))).join('')
  const cases: [unknown, number][] = [
    [fullWidth, 401],
    [` ${right}`, 401],
    ['', 401],
    [right.slice(1), 401],
    [Number(right), 400],
    [null, 400],
    [[right], 400],
    [{ code: right }, 400],
    ['1'.repeat(33), 400],
  ]
  for (const [code, status] of cases) {
    t.equal((await login(gateway, member, code)).statusCode, status, JSON.stringify(code))
  }
  t.equal((await login(gateway, member, right)).statusCode, 200)
})

t.test('five wrong codes from any address lock the account, and one mail warns', async (t) => {
  const { clock, gateway, database } = await stage(t)
  const { member, secret } = await enrol(gateway, clock, await registerMember(gateway))
  const wrong = () => wrongFor(codeAt(secret, clock))
  for (let count = 1; count <= 5; count++) {
    t.equal((await login(gateway, member, wrong(), `198.51.100.${count}`)).statusCode, 401)
  }
  const locked = await login(gateway, member, codeAt(secret, clock), '203.0.113.1')
  t.equal(locked.statusCode, 429, 'a right code during the lock')
  t.match(locked.json().error.details, { limit: 5, window: '900s', bucket: 'account' })
  t.ok(Number(locked.headers['retry-after']) > 800)
  t.equal((await outbox(database)).filter((kind) => kind === 'account.warned').length, 1)
  const [warned] = await database.batchSql`SELECT payload FROM outbox WHERE kind = 'account.warned'`
  t.match(warned?.payload, {
    email: member.identity.user.email,
    warning: 'two_factor_guessed',
    ipAddress: '198.51.100.3',
  })
  clock.advance(Number(locked.headers['retry-after']) * 1_000)
  t.equal((await login(gateway, member, codeAt(secret, clock))).statusCode, 200)
  for (let round = 1; round < 4; round++) {
    clock.advance(15 * 60_000)
    for (let count = 0; count < 5; count++) await login(gateway, member, wrong())
  }
  clock.advance(15 * 60_000)
  const daily = await login(gateway, member, codeAt(secret, clock))
  t.match([daily.statusCode, daily.json().error.details.limit], [429, 20])
  t.equal((await outbox(database)).filter((kind) => kind === 'account.warned').length, 1)
})
