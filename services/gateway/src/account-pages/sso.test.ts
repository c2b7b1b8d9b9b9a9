/** Single sign-on from the login form, and what is shown where an organization requires it. */
import { textsByLocale } from '@status-page/html/texts'
import t from 'tap'
import { configure, ssoOrganization } from '../access/single-sign-on/single-sign-on.fixture.ts'
import { asMember, password, registerMember, testGateway } from '../gateway.fixture.ts'
import { addMember, callApi, newEmail, tokenFor } from '../organization.fixture.ts'
import { testBrowser } from './browser.fixture.ts'

const texts = textsByLocale.en.accountPages

t.test('the login form leads to the provider of an address or an organization', async (t) => {
  const { gateway, slug } = await ssoOrganization(t)
  const browser = testBrowser(gateway)
  const login = await browser.open('/sign-in?next=/status/a')
  t.match(login.body, 'href="/sign-in/sso?next=%2Fstatus%2Fa"')
  t.notMatch(login.body, texts.signIn.ssoRequired)
  t.match((await browser.open('/sign-in/sso?next=/status/a')).body, 'value="/status/a"')
  for (const ssoAccount of ['Ana@ACME.example', slug, ` ${slug.toUpperCase()} `]) {
    const found = await browser.submit('/sign-in/sso', { ssoAccount, next: '/status/a' })
    t.equal(found.statusCode, 303, ssoAccount)
    t.equal(found.headers.location, `/sign-in/sso?organization=${slug}&next=%2Fstatus%2Fa`)
  }
  const page = await browser.open(`/sign-in/sso?organization=${slug}&next=/status/a`)
  const start = `https://status.test/api/v1/auth/saml/${slug}/login?next=%2Fstatus%2Fa`
  t.equal(page.headers.refresh, `0; url=${start}`)
  t.match(page.body, `href="${start}"`)
  const started = await gateway.http.inject({ url: start.replace('https://status.test', '') })
  t.equal(started.statusCode, 302)
})

t.test('an unknown address, a foreign path and another site lead nowhere', async (t) => {
  const { gateway, slug, owner, idp } = await ssoOrganization(t)
  const browser = testBrowser(gateway)
  for (const ssoAccount of ['ana@other.example', 'other', 'a@b@acme.example', '"><script>', '']) {
    const refused = await browser.submit('/sign-in/sso', { ssoAccount })
    t.equal(refused.statusCode, 400, ssoAccount)
    t.match(refused.body, ssoAccount === '' ? texts.invalid.ssoAccount : texts.sso.unknown)
    t.notMatch(refused.body, '<script')
  }
  const away = await browser.submit('/sign-in/sso', { ssoAccount: slug, next: '//evil.example' })
  t.equal(away.headers.location, `/sign-in/sso?organization=${slug}&next=%2Faccount`)
  const cross = { 'sec-fetch-site': 'cross-site' }
  t.equal((await browser.submit('/sign-in/sso', { ssoAccount: slug }, cross)).statusCode, 403)
  const unknown = await browser.open('/sign-in/sso?organization=other')
  t.equal(unknown.headers.refresh, undefined)
  t.match(unknown.body, texts.sso.intro)
  await configure(gateway, owner, idp, { isEnabled: false })
  t.notMatch((await browser.open('/sign-in')).body, texts.signIn.sso)
})

t.test(
  'a refused password explains single sign-on, whether or not the account exists',
  async (t) => {
    const { gateway, owner } = await ssoOrganization(t)
    const { email } = (await addMember(gateway, owner, 'MEMBER')).identity.user
    await callApi(gateway, 'PATCH /organization', asMember(owner), { ssoEnforced: true })
    const refusalOf = async (address: string) => {
      const refused = await testBrowser(gateway).submit('/sign-in', { email: address, password })
      t.equal(refused.statusCode, 401)
      t.match(refused.body, texts.signIn.ssoRequired)
      return refused.body.replaceAll(address, '')
    }
    t.equal(await refusalOf(email), await refusalOf('nobody@example.com'))
  },
)

t.test('an accepted invitation leads to the provider where a password opens nothing', async (t) => {
  const { gateway, owner, slug } = await ssoOrganization(t)
  const headers = asMember(owner)
  const email = newEmail()
  await callApi(gateway, 'POST /organization/invitations', headers, { email })
  await callApi(gateway, 'PATCH /organization', headers, { ssoEnforced: true })
  const browser = testBrowser(gateway)
  const path = `/invitations/${await tokenFor(gateway, email)}`
  const accepted = await browser.submit(path, { name: 'Eve', password })
  t.equal(accepted.statusCode, 303)
  const next = String(accepted.headers.location)
  t.equal(next, `/sign-in/sso?organization=${slug}&next=%2Faccount&notice=invitation`)
  const page = await browser.open(next)
  t.match(page.body, texts.sso.accepted)
  t.equal(page.headers.refresh, undefined, 'the notice stays')
  t.match(page.body, `/auth/saml/${slug}/login`)
  t.equal(browser.cookies.size, 0)
})

t.test('without a provider, or without https, the login form does not offer it', async (t) => {
  const gateway = await testGateway(t)
  await registerMember(gateway)
  const browser = testBrowser(gateway)
  t.notMatch((await browser.open('/sign-in')).body, texts.signIn.sso)
  const refused = await browser.submit('/sign-in', { email: 'a@b.example', password })
  t.notMatch(refused.body, texts.signIn.ssoRequired)
  t.equal((await browser.submit('/sign-in/sso', { ssoAccount: 'acme' })).statusCode, 400)
})
