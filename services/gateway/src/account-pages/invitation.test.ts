/** Page of an invitation: a new account, a login, or one button, as the API decides. */

import { textsByLocale } from '@status-page/html/texts'
import t from 'tap'
import { asMember, password, registerMember, testGateway } from '../gateway.fixture.ts'
import { codeAt, enrol, stage, wrongFor } from '../identity/two-factor/two-factor.fixture.ts'
import { addMember, callApi, newEmail, tokenFor, verifyEmail } from '../organization.fixture.ts'
import { browserOf, messagesOf, testBrowser } from './browser.fixture.ts'

const texts = textsByLocale.en.accountPages
type Gateway = Parameters<typeof tokenFor>[0]
type Member = Awaited<ReturnType<typeof registerMember>>

const invite = async (gateway: Gateway, owner: Member, email: string): Promise<string> => {
  const sent = await callApi(gateway, 'POST /organization/invitations', asMember(owner), { email })
  if (sent.statusCode !== 201) throw new Error(sent.body)
  return `/invitations/${await tokenFor(gateway, email)}`
}

t.test('a new user sets name and password, and the link is used', async (t) => {
  const gateway = await testGateway(t, { REGISTRATION: 'open' })
  const owner = await registerMember(gateway)
  const email = newEmail()
  const path = await invite(gateway, owner, email)
  const browser = testBrowser(gateway)
  const page = await browser.open(path)
  t.equal(page.statusCode, 200)
  t.match(page.body, `Join ${owner.identity.organization.name}`)
  t.match(page.body, email)
  const refused = await browser.submit(path, { name: 'Eve', password: 'short' })
  t.equal(refused.statusCode, 400)
  t.match(refused.body, 'value="Eve"')
  t.ok(messagesOf(refused.body, 'password').includes('password-error'))
  const crossSite = await browser.submit(
    path,
    { name: 'Eve', password },
    { 'sec-fetch-site': 'cross-site' },
  )
  t.equal(crossSite.statusCode, 403)
  const done = await browser.submit(path, { name: 'Eve', password })
  t.equal(done.headers.location, '/account')
  t.match((await browser.open('/account')).body, owner.identity.organization.name)
  for (const gone of [
    await browser.open(path),
    await browser.submit(path, { name: 'E', password }),
  ]) {
    t.equal(gone.statusCode, 404)
    t.match(gone.body, texts.invalidLink.title)
    t.match(gone.body, 'href="/sign-in"')
  }
  t.equal((await browser.open('/invitations/altered')).statusCode, 404)
})

t.test('a user with an account logs in and accepts with one button', async (t) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  const invited = await registerMember(gateway, 'Eve')
  await verifyEmail(gateway, invited)
  const { email } = invited.identity.user
  const path = await invite(gateway, owner, email)
  const browser = testBrowser(gateway)
  const page = await browser.open(path)
  t.match(page.body, `href="/sign-in?next=${encodeURIComponent(path)}"`)
  t.notMatch(page.body, 'name="password"')
  const refused = await browser.submit(path, { name: 'Mallory', password: 'new password' })
  t.equal(refused.statusCode, 401, 'the link alone grants no access to the account')
  const other = browserOf(gateway, owner)
  const foreign = await other.open(path)
  t.match(foreign.body, owner.identity.user.email)
  t.match(foreign.body, 'action="/sign-out"')
  t.equal((await other.submit('/sign-out', { next: path })).headers.location, path)
  const login = await browser.submit('/sign-in', { email, password, next: path })
  t.equal(login.headers.location, path)
  const button = await browser.open(path)
  t.notMatch(button.body, '<input')
  t.equal((await browser.submit(path, {})).headers.location, '/account')
  t.match((await browser.open('/account')).body, owner.identity.organization.name)
})

t.test('an account that never verified its address can be replaced by a new one', async (t) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  const squatter = await registerMember(gateway, 'Squatter')
  const path = await invite(gateway, owner, squatter.identity.user.email)
  const browser = testBrowser(gateway)
  const page = await browser.open(path)
  t.match(page.body, texts.invitation.notMine)
  t.match(page.body, '/sign-in?next=')
  const done = await browser.submit(path, { name: 'Eve', password: 'my own password' })
  t.equal(done.headers.location, '/account')
})

t.test('a former member with a second factor enters a code', async (t) => {
  const { gateway: app, clock, database } = await stage(t)
  const gateway = { ...app, database }
  const owner = await registerMember(gateway)
  const { secret, member } = await enrol(app, clock, await addMember(gateway, owner, 'VIEWER'))
  const { id, email } = member.identity.user
  await callApi(gateway, `DELETE /organization/members/${id}`, asMember(owner))
  const path = await invite(gateway, owner, email)
  const browser = testBrowser(gateway)
  const fields = { name: 'Eve', password: 'a new password' }
  const step = await browser.submit(path, fields)
  t.equal(step.statusCode, 401)
  t.match(step.body, '<input id="code"')
  t.match(step.body, texts.signIn.codeIntro)
  t.notMatch(step.body, 'a new password')
  const code = codeAt(secret, clock)
  const wrong = await browser.submit(path, { ...fields, code: wrongFor(code) })
  t.equal(wrong.statusCode, 400)
  t.ok(messagesOf(wrong.body, 'code').includes('code-error'))
  t.equal((await browser.submit(path, { ...fields, code })).headers.location, '/account')
})

t.test('a domain that the organization does not allow is refused by name', async (t) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  const email = newEmail()
  const path = await invite(gateway, owner, email)
  await callApi(gateway, 'PATCH /organization', asMember(owner), {
    allowedEmailDomains: ['other.example'],
  })
  const refused = await testBrowser(gateway).submit(path, { name: 'Eve', password })
  t.equal(refused.statusCode, 400)
  t.match(refused.body, texts.invitation.notAllowed)
  t.equal((await testBrowser(gateway).open(path)).statusCode, 200, 'the link stays usable')
})
