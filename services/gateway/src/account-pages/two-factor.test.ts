/** Second factor by forms: set-up, backup codes, removal, and refusals that change nothing. */
import { textsByLocale } from '@status-page/html/texts'
import t, { type Test } from 'tap'
import { asMember, password, registerMember } from '../gateway.fixture.ts'
import {
  codeAt,
  login,
  settle,
  stage,
  wrongFor,
} from '../identity/two-factor/two-factor.fixture.ts'
import { callApi } from '../organization.fixture.ts'
import { browserOf, messagesOf, testBrowser } from './browser.fixture.ts'

const texts = textsByLocale.en.accountPages
const PATH = '/account/two-factor'

const scenario = async (t: Test) => {
  const { gateway, clock } = await stage(t)
  settle(clock)
  const member = await registerMember(gateway)
  const browser = browserOf(gateway, member)
  const secretOf = (body: string) => /<code dir="ltr">([A-Z2-7]+)<\/code>/.exec(body)?.[1] ?? ''
  const setUp = async () => {
    const page = await browser.submit(PATH, { password })
    return { page, secret: secretOf(page.body) }
  }
  /** Turns the second factor on; returns the backup codes of the page. */
  const enrol = async () => {
    const { secret } = await setUp()
    const page = await browser.submit(`${PATH}/confirm`, { code: codeAt(secret, clock) })
    settle(clock)
    return { secret, page, codes: codesOf(page.body) }
  }
  return { gateway, clock, member, browser, setUp, enrol }
}

const codesOf = (body: string): string[] =>
  [...body.matchAll(/<code>((?:[A-Z2-7]{4}-?){4})<\/code>/g)].map(([, code = '']) => code)

t.test('a QR code and the first code turn it on, and backup codes are shown once', async (t) => {
  const { gateway, member, browser, setUp, clock } = await scenario(t)
  const off = await browser.open(PATH)
  t.match(off.body, texts.twoFactor.off)
  const { page, secret } = await setUp()
  t.equal(page.statusCode, 200)
  t.equal(page.headers['cache-control'], 'no-store')
  t.match(page.body, `role="img" aria-label="${texts.twoFactor.qrCode}"><svg`)
  const done = await browser.submit(`${PATH}/confirm`, { code: ` ${codeAt(secret, clock)} ` })
  t.equal(done.statusCode, 200)
  const codes = codesOf(done.body)
  t.equal(codes.length, 10)
  t.notMatch((await browser.open(PATH)).body, codes[0] ?? '')
  t.match((await browser.open(PATH)).body, texts.twoFactor.remaining.replace('{}', '10'))
  t.equal((await login(gateway, member)).json().error.code, 'TWO_FACTOR_REQUIRED')
  t.equal((await login(gateway, member, codes[0])).statusCode, 200)
})

t.test('a wrong password, a wrong code and a missing set-up change nothing', async (t) => {
  const { browser, setUp, clock } = await scenario(t)
  const wrong = await browser.submit(PATH, { password: 'something else' })
  t.equal(wrong.statusCode, 400)
  t.match(wrong.body, texts.twoFactor.wrongPassword)
  t.ok(messagesOf(wrong.body, 'password').includes('password-error'))
  t.notMatch(wrong.body, 'something else')
  t.equal((await browser.submit(PATH, {})).statusCode, 400)
  const early = await browser.submit(`${PATH}/confirm`, { code: '123456' })
  t.equal(early.statusCode, 409)
  t.match(early.body, texts.twoFactor.expired)
  const { secret } = await setUp()
  const mistyped = await browser.submit(`${PATH}/confirm`, {
    code: wrongFor(codeAt(secret, clock)),
  })
  t.equal(mistyped.statusCode, 400)
  t.match(mistyped.body, texts.problems.wrongCode)
  t.notMatch(mistyped.body, secret, 'the secret is shown once')
  const right = await browser.submit(`${PATH}/confirm`, { code: codeAt(secret, clock) })
  t.equal(codesOf(right.body).length, 10)
  t.equal((await browser.submit(PATH, { password })).statusCode, 409, 'on already')
})

t.test('backup codes are replaced, and it is turned off, with password and code', async (t) => {
  const { browser, enrol, gateway, member } = await scenario(t)
  const { codes } = await enrol()
  const [first = '', second = ''] = codes
  const renewed = await browser.submit(`${PATH}/backup-codes`, { password, code: first })
  t.equal(renewed.statusCode, 200)
  const fresh = codesOf(renewed.body)
  t.equal(fresh.length, 10)
  const old = await browser.submit(`${PATH}/disable`, { password, code: second })
  t.equal(old.statusCode, 400)
  t.match(old.body, texts.problems.wrongCode)
  const code = fresh[0] ?? ''
  t.equal((await browser.submit(`${PATH}/disable`, { code })).statusCode, 400)
  const cross = { 'sec-fetch-site': 'cross-site' }
  t.equal((await browser.submit(`${PATH}/disable`, { password, code }, cross)).statusCode, 403)
  const off = await browser.submit(`${PATH}/disable`, { password, code: fresh[1] ?? '' })
  t.equal(off.headers.location, `${PATH}?notice=disabled`)
  t.match((await browser.open(`${PATH}?notice=disabled`)).body, texts.twoFactor.disabled)
  t.equal((await login(gateway, member)).statusCode, 200)
})

t.test('a required second factor is set up by a session that lacks it, and stays on', async (t) => {
  const { browser, enrol, gateway, member } = await scenario(t)
  await callApi(gateway, 'PATCH /organization', asMember(member), { require2FA: true })
  t.match((await browser.open('/account')).body, texts.account.needsTwoFactor)
  const { codes } = await enrol()
  t.notMatch((await browser.open('/account')).body, texts.account.needsTwoFactor)
  const refused = await browser.submit(`${PATH}/disable`, { password, code: codes[0] ?? '' })
  t.equal(refused.statusCode, 403)
  t.match(refused.body, texts.twoFactor.required)
})

t.test('without a session, every form leads to the login', async (t) => {
  const { gateway } = await stage(t)
  const stranger = testBrowser(gateway)
  for (const path of ['', '/confirm', '/backup-codes', '/disable']) {
    const sent = await stranger.submit(`${PATH}${path}`, { password, code: '123456' })
    t.equal(sent.headers.location, '/sign-in?next=%2Faccount%2Ftwo-factor', path)
  }
})
