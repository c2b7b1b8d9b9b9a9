/** Registration and confirmation of the address, as a visitor without scripts sees them. */

import { textsByLocale } from '@status-page/html/texts'
import t from 'tap'
import { password, registerMember, testGateway } from '../gateway.fixture.ts'
import { callApi, tokenFor, verifyEmail } from '../organization.fixture.ts'
import { browserOf, messagesOf, testBrowser } from './browser.fixture.ts'

const texts = textsByLocale.en.accountPages
const fields = { organizationName: 'Acme', name: 'Ana', email: 'ana@example.com', password }

t.test('a registration signs in, and a known address is refused at its field', async (t) => {
  const gateway = await testGateway(t)
  const browser = testBrowser(gateway)
  t.match((await browser.open('/sign-in')).body, 'href="/register"')
  t.equal((await browser.open('/register')).statusCode, 200)
  const done = await browser.submit('/register', fields)
  t.equal(done.headers.location, '/account/new-page')
  t.equal((await browser.open('/register')).headers.location, '/account')
  const other = testBrowser(gateway)
  const known = await other.submit('/register', { ...fields, name: 'Eve' })
  t.equal(known.statusCode, 409)
  t.match(known.body, texts.problems.knownAddress)
  t.ok(messagesOf(known.body, 'email').includes('email-error'))
  t.match(known.body, 'value="Eve"')
  t.notMatch(known.body, password)
  const own = await other.submit('/register', { ...fields, email: password, password })
  t.equal(own.statusCode, 400)
  const foreign = await other.submit('/register', fields, { 'sec-fetch-site': 'cross-site' })
  t.equal(foreign.statusCode, 403)
  t.equal(other.cookies.size, 0)
})

t.test('a closed registration is a page that states it, and creates nothing', async (t) => {
  const gateway = await testGateway(t, { REGISTRATION: 'closed' })
  const browser = testBrowser(gateway)
  t.notMatch((await browser.open('/sign-in')).body, '/register')
  for (const page of [await browser.open('/register'), await browser.submit('/register', fields)]) {
    t.equal(page.statusCode, 403)
    t.match(page.body, texts.register.closedIntro)
  }
  t.equal((await gateway.database.batchSql`SELECT FROM users`).length, 0)
})

t.test('a mailed link confirms the address after the button, once, in its session', async (t) => {
  const gateway = await testGateway(t)
  const member = await registerMember(gateway)
  const { email } = member.identity.user
  const token = await tokenFor(gateway, email, 'account.verification-requested')
  const path = `/confirm-email/${token}`
  const stranger = testBrowser(gateway)
  const toLogin = `/sign-in?next=${encodeURIComponent(path)}`
  t.equal((await stranger.open(path)).headers.location, toLogin)
  t.equal((await stranger.submit(path, {})).headers.location, toLogin)
  const other = browserOf(gateway, await registerMember(gateway))
  t.equal((await other.open(path)).statusCode, 404, 'a session of another account')
  t.equal((await other.submit(path, {})).statusCode, 404)
  const browser = browserOf(gateway, member)
  const page = await browser.open(path)
  t.match(page.body, email)
  t.match(page.body, `action="${path}"`)
  const verified = async () => {
    const me = await callApi(gateway, 'GET /auth/me', { cookie: member.cookie })
    return me.json().user.emailVerified
  }
  t.equal(await verified(), false, 'opening the link changes nothing')
  const crossSite = await browser.submit(path, {}, { 'sec-fetch-site': 'cross-site' })
  t.equal(crossSite.statusCode, 403)
  const done = await browser.submit(path, {})
  t.equal(done.headers.location, '/account?notice=email')
  t.equal(await verified(), true)
  t.match((await browser.open('/account?notice=email')).body, texts.verify.done)
  t.equal((await browser.open(path)).statusCode, 404, 'used')
  t.equal((await browser.submit(path, {})).statusCode, 404)
  t.equal((await browser.open('/account?notice=other')).statusCode, 400)
})

t.test('the mail can be requested again on the page, within its limit', async (t) => {
  const gateway = await testGateway(t)
  const browser = browserOf(gateway, await registerMember(gateway))
  t.match((await browser.open('/account')).body, texts.account.resend)
  const mails = async () =>
    (
      await gateway.database.batchSql`
        SELECT FROM outbox WHERE kind = 'account.verification-requested'`
    ).length
  const before = await mails()
  for (let request = 0; request < 5; request++) {
    const sent = await browser.submit('/confirm-email', {})
    t.equal(sent.headers.location, '/account?notice=sent')
  }
  t.equal((await mails()) - before, 3)
  t.match((await browser.open('/account?notice=sent')).body, texts.reset.sent)
  const stranger = await testBrowser(gateway).submit('/confirm-email', {})
  t.equal(stranger.headers.location, '/sign-in')
})

t.test('an address that is verified needs no note', async (t) => {
  const gateway = await testGateway(t)
  const member = await registerMember(gateway)
  await verifyEmail(gateway, member)
  t.notMatch((await browserOf(gateway, member).open('/account')).body, texts.account.unverified)
})
