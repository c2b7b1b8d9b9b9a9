/** Pages of a forgotten password: same response for every address, and a link for one use. */

import { textsByLocale } from '@status-page/html/texts'
import t from 'tap'
import { password, registerMember, testGateway } from '../gateway.fixture.ts'
import { stage } from '../identity/two-factor/two-factor.fixture.ts'
import { tokenFor } from '../organization.fixture.ts'
import { browserOf, messagesOf, testBrowser } from './browser.fixture.ts'

const texts = textsByLocale.en.accountPages
const HOUR_MS = 3_600_000

/** The mail is requested asynchronously. */
const resetToken = async (gateway: Parameters<typeof tokenFor>[0], email: string) => {
  for (let tries = 0; ; tries++) {
    try {
      return await tokenFor(gateway, email, 'account.reset-requested')
    } catch (error) {
      if (tries > 50) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

t.test(
  'known and unknown addresses get the same page, and a mailed link sets the password',
  async (t) => {
    const gateway = await testGateway(t)
    const member = await registerMember(gateway)
    const { email } = member.identity.user
    const browser = testBrowser(gateway)
    const form = await browser.open('/forgot-password')
    t.match(form.body, texts.reset.forgotIntro)
    for (const address of [email, 'unknown@example.com']) {
      const sent = await browser.submit('/forgot-password', { email: ` ${address}` })
      t.equal(sent.statusCode, 303)
      t.equal(sent.headers.location, '/forgot-password?sent=true')
    }
    t.match((await browser.open('/forgot-password?sent=true')).body, texts.reset.sentIntro)
    const invalid = await browser.submit('/forgot-password', { email: 'nobody' })
    t.equal(invalid.statusCode, 400)
    t.ok(messagesOf(invalid.body, 'email').includes('email-error'))
    const path = `/reset-password/${await resetToken(gateway, email)}`
    t.equal((await browser.open(path)).statusCode, 200)
    t.equal((await browser.open(path)).statusCode, 200, 'opening the link does not use it')
    for (const newPassword of ['short', 'x'.repeat(73), email, '']) {
      const refused = await browser.submit(path, { newPassword })
      t.equal(refused.statusCode, 400, newPassword)
      t.ok(messagesOf(refused.body, 'newPassword').includes('newPassword-error'))
    }
    const cross = await browser.submit(
      path,
      { newPassword: 'another password' },
      { origin: 'null' },
    )
    t.equal(cross.statusCode, 403)
    const done = await browser.submit(path, { newPassword: 'another password' })
    t.equal(done.headers.location, '/sign-in?notice=password')
    t.match((await browser.open('/sign-in?notice=password')).body, texts.signIn.passwordChanged)
    t.equal((await browserOf(gateway, member).open('/account')).statusCode, 303, 'sessions ended')
    t.equal((await browser.submit('/sign-in', { email, password })).statusCode, 401)
    const login = await browser.submit('/sign-in', { email, password: 'another password' })
    t.equal(login.statusCode, 303)
    t.equal((await browser.open(path)).statusCode, 404)
    t.equal((await browser.submit(path, { newPassword: 'a third password' })).statusCode, 404)
  },
)

t.test('an altered or expired link is a clear 404', async (t) => {
  const { gateway: app, clock, database } = await stage(t)
  const gateway = { ...app, database }
  const { identity } = await registerMember(gateway)
  const browser = testBrowser(gateway)
  await browser.submit('/forgot-password', { email: identity.user.email })
  const token = await resetToken(gateway, identity.user.email)
  for (const wrong of ['x', `${token}x`, encodeURIComponent('../../account'), 'x'.repeat(300)]) {
    const page = await browser.open(`/reset-password/${wrong}`)
    t.equal(page.statusCode, 404, wrong)
    t.match(page.headers['content-type'], 'text/html')
  }
  clock.advance(HOUR_MS + 1_000)
  const expired = await browser.open(`/reset-password/${token}`)
  t.equal(expired.statusCode, 404)
  t.match(expired.body, texts.invalidLink.intro)
  const submitted = await browser.submit(`/reset-password/${token}`, { newPassword: 'another one' })
  t.equal(submitted.statusCode, 404)
})
