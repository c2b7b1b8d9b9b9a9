/** Login pages: both steps follow the rules and limits of the JSON operation. */

import { textsByLocale } from '@status-page/html/texts'
import t from 'tap'
import { password, registerMember, testGateway } from '../gateway.fixture.ts'
import { codeAt, enrol, stage } from '../identity/two-factor/two-factor.fixture.ts'
import { testBrowser } from './browser.fixture.ts'

const { problems, signIn } = textsByLocale.en.accountPages

t.test('a login leads to the wanted local path, and to no other site', async (t) => {
  const gateway = await testGateway(t)
  const { identity } = await registerMember(gateway)
  const login = async (next?: string) => {
    const browser = testBrowser(gateway)
    const { email } = identity.user
    const fields = { email: ` ${email} `, password, ...(next === undefined ? {} : { next }) }
    const response = await browser.submit('/sign-in', fields)
    t.equal(response.statusCode, 303)
    return response.headers.location
  }
  t.equal(await login(), '/account')
  t.equal(await login('/status/acme?x=1'), '/status/acme?x=1')
  for (const foreign of ['//evil.example', '/\\evil.example', 'https://evil.example', '/a b', '']) {
    t.equal(await login(foreign), '/account', foreign)
  }
})

t.test('a wrong login returns the form with the address and without the password', async (t) => {
  const gateway = await testGateway(t)
  const { identity } = await registerMember(gateway)
  const browser = testBrowser(gateway)
  const { email } = identity.user
  const refusals = await Promise.all(
    [email, 'unknown@example.com', 'not an address'].map((address) =>
      browser.submit('/sign-in', { email: address, password: 'wrong password', next: '/a' }),
    ),
  )
  for (const refused of refusals) {
    t.equal(refused.statusCode, 401)
    t.match(refused.body, problems.wrongLogin)
    t.match(refused.body, '<input type="hidden" name="next" value="/a">')
    t.notMatch(refused.body, 'wrong password')
  }
  t.match(refusals[0]?.body, `value="${email}"`)
  t.equal(browser.cookies.size, 0)
  const empty = await browser.submit('/sign-in', { email: '', password: '' })
  t.equal(empty.statusCode, 400)
  t.match(empty.body, textsByLocale.en.accountPages.invalid.email)
})

t.test('failed logins of the form and of the API count together', async (t) => {
  const gateway = await testGateway(t)
  const { identity } = await registerMember(gateway)
  const browser = testBrowser(gateway)
  const { email } = identity.user
  for (let tries = 0; tries < 5; tries++) {
    await browser.submit('/sign-in', { email, password: 'wrong password' })
    await gateway.http.inject({
      method: 'POST',
      url: '/api/v1/auth/login',
      payload: { email, password: 'wrong password' },
    })
  }
  const locked = await browser.submit('/sign-in', { email, password })
  t.equal(locked.statusCode, 429)
  t.ok(Number(locked.headers['retry-after']) >= 1)
  t.match(locked.body, 'Too many attempts. Try again in ')
})

t.test('the second factor follows the password, and no session exists before', async (t) => {
  const { gateway, clock } = await stage(t)
  const member = await registerMember(gateway)
  const { email } = member.identity.user
  const { secret } = await enrol(gateway, clock, member)
  const browser = testBrowser(gateway)
  const step = await browser.submit('/sign-in', { email, password, next: '/status/acme' })
  t.equal(step.headers.location, '/sign-in/code?next=%2Fstatus%2Facme')
  t.same([...browser.cookies.keys()], ['login'])
  t.notMatch(browser.cookies.get('login'), password)
  t.equal((await browser.open('/account')).headers.location, '/sign-in')
  const form = await browser.open(String(step.headers.location))
  t.match(form.body, signIn.code)
  t.notMatch(form.body, email)
  const wrong = await browser.submit('/sign-in/code', { code: '000000', next: '/status/acme' })
  t.equal(wrong.statusCode, 401)
  t.match(wrong.body, problems.wrongCode)
  const empty = await browser.submit('/sign-in/code', { code: '', next: '/status/acme' })
  t.equal(empty.statusCode, 400)
  const done = await browser.submit('/sign-in/code', {
    code: codeAt(secret, clock),
    next: '/status/acme',
  })
  t.equal(done.headers.location, '/status/acme')
  t.notOk(browser.cookies.has('login'))
  t.equal((await browser.open('/account')).statusCode, 200)
})
