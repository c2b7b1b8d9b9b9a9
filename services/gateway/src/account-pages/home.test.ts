/** Start page by the setting ROOT_PAGE, and the page of the signed-in user. */

import { textsByLocale } from '@status-page/html/texts'
import t from 'tap'
import { registerMember, testGateway } from '../gateway.fixture.ts'
import { coreWithPages, testBrowser } from './browser.fixture.ts'

const texts = textsByLocale.en.accountPages

t.test('the start page requires the set-up while there is no account', async (t) => {
  const gateway = await testGateway(t, { ROOT_PAGE: 'pages' })
  const browser = testBrowser(gateway)
  const page = await browser.open('/')
  t.equal(page.statusCode, 200)
  t.match(page.body, texts.setup.needed)
  t.notMatch(page.body, 'token=')
  await registerMember(gateway)
  t.match((await browser.open('/')).body, texts.home.noPages.replace('There are no', ''))
})

t.test('clients of the API get the 404 of an unknown path', async (t) => {
  const gateway = await testGateway(t)
  for (const accept of ['application/json', '*/*', undefined]) {
    const headers = accept === undefined ? {} : { accept }
    const response = await gateway.http.inject({ url: '/', headers })
    t.equal(response.statusCode, 404)
    t.equal(response.json().error.code, 'NOT_FOUND')
  }
})

t.test('the setting selects the login, the list of public pages, or one page', async (t) => {
  const core = await coreWithPages(t)
  const open = async (root?: string) => {
    const settings = root === undefined ? {} : { ROOT_PAGE: root }
    const gateway = await testGateway(t, { ...settings, CORE_URL: core.url })
    const { cookie } = await registerMember(gateway)
    const browser = testBrowser(gateway)
    return { page: await browser.open('/'), browser, cookie }
  }
  const { page, browser, cookie } = await open()
  t.equal(page.headers.location, '/sign-in')
  const [name = '', value = ''] = cookie.split('=')
  browser.cookies.set(name, value)
  t.equal((await browser.open('/')).headers.location, '/account')
  t.equal((await open('acme')).page.headers.location, '/status/acme')
  const list = (await open('pages')).page
  t.equal(list.statusCode, 200)
  t.match(list.body, '<a href="http://status.test/status/acme"><bdi>&lt;Acme&gt;</bdi></a>')
  await t.rejects(testGateway(t, { ROOT_PAGE: 'Not a slug' }))
})

t.test('the signed-in page needs a session, and signing out ends it', async (t) => {
  const gateway = await testGateway(t)
  const browser = testBrowser(gateway)
  t.equal((await browser.open('/account')).headers.location, '/sign-in')
  const { cookie } = await registerMember(gateway)
  const [name = '', value = ''] = cookie.split('=')
  browser.cookies.set(name, value)
  const page = await browser.open('/account')
  t.match(page.body, texts.account.unverified)
  t.equal(page.headers['cache-control'], 'no-store')
  t.equal((await browser.open('/sign-in?next=/status/a')).headers.location, '/status/a')
  const refused = await browser.submit('/sign-out', {}, { 'sec-fetch-site': 'cross-site' })
  t.equal(refused.statusCode, 403)
  t.equal((await browser.open('/account')).statusCode, 200)
  t.equal((await browser.submit('/sign-out', {})).headers.location, '/sign-in')
  browser.cookies.set(name, value)
  t.equal((await browser.open('/account')).headers.location, '/sign-in')
})

t.test('the signed-in page links to the dashboard, if there is one', async (t) => {
  const folder = t.testdir({ 'index.html': '', assets: {} })
  for (const [settings, isLinked] of [
    [{ DASHBOARD_DIR: folder, BASE_URL: 'http://status.test/base' }, true],
    [{}, false],
  ] as const) {
    const gateway = await testGateway(t, settings)
    const { cookie } = await registerMember(gateway)
    const { body } = await gateway.http.inject({ url: '/account', headers: { cookie } })
    t.equal(body.includes('href="/base/dashboard"'), isLinked)
    t.equal(body.includes(`>${texts.account.dashboard}<`), isLinked)
  }
})

t.test('a session without a required second factor sees the demand and no pages', async (t) => {
  const core = await coreWithPages(t)
  const gateway = await testGateway(t, { CORE_URL: core.url })
  const { cookie } = await registerMember(gateway)
  const [name = '', value = ''] = cookie.split('=')
  const headers = { cookie, 'sec-fetch-site': 'same-origin' }
  await gateway.http.inject({
    method: 'PATCH',
    url: '/api/v1/organization',
    headers,
    payload: { require2FA: true },
  })
  const browser = testBrowser(gateway)
  browser.cookies.set(name, value)
  const page = await browser.open('/account')
  t.equal(page.statusCode, 200)
  t.match(page.body, texts.account.needsTwoFactor)
  t.notMatch(page.body, 'status/acme')
})
