/** First set-up: the printed link creates one owner, once, and never a second one. */
import { locales } from '@status-page/contracts'
import { textsByLocale } from '@status-page/html/texts'
import { connect } from '@status-page/postgres'
import t from 'tap'
import { gatewayOver, password, registerMember, testGateway } from '../gateway.fixture.ts'
import { announceSetupLink, createSetupLink } from '../identity/setup/setup-link.ts'
import { coreWithPages, messagesOf, testBrowser } from './browser.fixture.ts'

const SECRET = '0123456789abcdef0123456789abcdef'

type Gateway = Awaited<ReturnType<typeof testGateway>>

const linkOf = ({ database }: Gateway) =>
  createSetupLink({ database, baseUrl: 'http://status.test', secret: SECRET })

/** Path of the printed link. */
const setupPath = async (gateway: Gateway): Promise<string> =>
  ((await linkOf(gateway).url()) ?? '').replace('http://status.test', '')

/** Rows of all organizations, as the administrator of the database sees them. */
const readRows = async ({ databases }: Gateway, table: string): Promise<unknown[]> => {
  const admin = await connect({ url: databases.adminUrl, service: 'gateway', max: 1 })
  const rows = await admin.batchSql.unsafe(`SELECT * FROM gateway.${table}`)
  await admin.close()
  return [...rows]
}

const owner = {
  organizationName: 'Acme',
  name: 'Ana',
  email: 'ana@example.com',
  password,
}
const tokenOf = (path: string) => path.split('token=')[1] ?? ''

t.test('the printed link leads from the form to a signed-in page', async (t) => {
  const core = await coreWithPages(t)
  const gateway = await testGateway(t, { REGISTRATION: 'closed', CORE_URL: core.url })
  const browser = testBrowser(gateway)
  const path = await setupPath(gateway)
  t.match(path, /^\/setup\?token=[A-Za-z0-9_-]{43}$/)
  const form = await browser.open(path)
  t.equal(form.statusCode, 200)
  t.match(form.headers['content-security-policy'], /default-src 'none'.*script-src 'none'/)
  t.notMatch(form.headers['content-security-policy'], 'unsafe')
  const created = await browser.submit('/setup', { token: tokenOf(path), ...owner })
  t.equal(created.statusCode, 303)
  t.equal(created.headers.location, '/account/new-page')
  const account = await browser.open('/account')
  t.equal(account.statusCode, 200)
  t.match(account.body, '<bdi>Acme</bdi>')
  t.match(account.body, '<a href="http://status.test/status/acme"><bdi>&lt;Acme&gt;</bdi></a>')
  t.match(account.body, 'ana@example.com')
  t.equal(await linkOf(gateway).url(), null, 'no link is printed after the first account')
})

t.test('every replica prints the same link, and a restart prints it again', async (t) => {
  const gateway = await testGateway(t)
  const [one, other] = await Promise.all([linkOf(gateway).url(), linkOf(gateway).url()])
  t.equal(one, other)
  t.equal(await linkOf(gateway).url(), one)
  const rows = await readRows(gateway, 'setup_nonces')
  t.equal(rows.length, 1)
  t.notMatch(JSON.stringify(rows), tokenOf(one ?? ''), 'the database does not hold the token')
})

t.test('the log has the link as one line of JSON until an account exists', async (t) => {
  const gateway = await testGateway(t)
  const lines: string[] = []
  const announce = () => announceSetupLink(linkOf(gateway), (line) => lines.push(line))
  await announce()
  t.equal(lines.length, 1)
  const { msg } = JSON.parse(lines[0] ?? '')
  t.ok(msg.endsWith(` at ${await linkOf(gateway).url()}`), msg)
  await registerMember(gateway)
  await announce()
  t.equal(lines.length, 1)
})

t.test('an altered link is 404, a used one is 409, and neither creates anything', async (t) => {
  const gateway = await testGateway(t)
  const browser = testBrowser(gateway)
  const path = await setupPath(gateway)
  const token = tokenOf(path)
  const altered = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`
  for (const wrong of ['', 'x', altered, `${token}A`]) {
    t.equal((await browser.open(`/setup?token=${wrong}`)).statusCode, 404, wrong)
    t.equal((await browser.submit('/setup', { ...owner, token: wrong })).statusCode, 404, wrong)
  }
  t.equal((await browser.open('/setup')).statusCode, 404)
  const count = async () => (await readRows(gateway, 'users')).length
  t.equal(await count(), 0)
  t.equal((await browser.submit('/setup', { ...owner, token })).statusCode, 303)
  const second = testBrowser(gateway)
  for (const used of [token, altered]) {
    const page = await second.open(`/setup?token=${used}`)
    t.equal(page.statusCode, 409)
    t.match(page.body, textsByLocale.en.accountPages.setup.doneIntro)
    const fields = { ...owner, email: 'eve@example.com', token: used }
    t.equal((await second.submit('/setup', fields)).statusCode, 409)
  }
  t.equal(second.cookies.size, 0)
  t.equal(await count(), 1)
})

t.test('of concurrent set-ups and registrations, one uses the link', async (t) => {
  const gateway = await testGateway(t)
  const token = tokenOf(await setupPath(gateway))
  const second = gatewayOver(t, await gateway.databases.database('gateway'))
  const submit = (app: Parameters<typeof testBrowser>[0], email: string) =>
    testBrowser(app).submit('/setup', { ...owner, email, token })
  const outcomes = await Promise.all([
    submit(gateway, 'a@example.com'),
    submit(second, 'b@example.com'),
    submit(gateway, 'c@example.com'),
  ])
  const statuses = outcomes.map(({ statusCode }) => statusCode).sort()
  t.same(statuses, [303, 409, 409])
  t.equal((await readRows(gateway, 'memberships')).length, 1)
  t.equal((await readRows(gateway, 'organizations')).length, 1)
})

t.test('an account that was registered otherwise ends the link', async (t) => {
  const gateway = await testGateway(t)
  const path = await setupPath(gateway)
  await registerMember(gateway)
  t.equal((await testBrowser(gateway).open(path)).statusCode, 409)
  t.same(await readRows(gateway, 'setup_nonces'), [])
})

t.test('invalid entries return the form with values, but never with the password', async (t) => {
  const gateway = await testGateway(t)
  const browser = testBrowser(gateway)
  const token = tokenOf(await setupPath(gateway))
  const invalid = {
    organizationName: ' \u200b',
    name: '<Ana>',
    email: 'nobody',
    password: 'secret1',
  }
  const refused = await browser.submit('/setup', { token, ...invalid })
  t.equal(refused.statusCode, 400)
  t.match(refused.body, 'value="&lt;Ana&gt;"')
  t.match(refused.body, 'value="nobody"')
  t.notMatch(refused.body, 'secret1')
  for (const field of ['organizationName', 'email', 'password']) {
    t.ok(messagesOf(refused.body, field).includes(`${field}-error`), field)
  }
  t.notOk(messagesOf(refused.body, 'name').includes('name-error'))
  t.match(refused.body, /<input id="organizationName"[^>]* autofocus>/)
  const missing = await browser.submit('/setup', { token })
  t.equal(missing.statusCode, 400)
  t.ok(messagesOf(missing.body, 'name').includes('name-error'))
  t.equal((await browser.submit('/setup', { token, ...owner })).statusCode, 303)
})

t.test('a form of another site, an unknown type and a repeated field change nothing', async (t) => {
  const gateway = await testGateway(t)
  const browser = testBrowser(gateway)
  const token = tokenOf(await setupPath(gateway))
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ]) {
    const refused = await browser.submit('/setup', { token, ...owner }, headers)
    t.equal(refused.statusCode, 403)
    t.match(refused.headers['content-type'], 'text/html')
    t.match(refused.body, textsByLocale.en.accountPages.problems.crossSite)
  }
  const post = (type: string, payload: string) =>
    gateway.http.inject({
      method: 'POST',
      url: '/setup',
      headers: { accept: 'text/html', 'content-type': type },
      payload,
    })
  const ofWrongType = JSON.stringify({ token, ...owner, name: 5 })
  t.equal((await post('application/json', ofWrongType)).statusCode, 400)
  t.equal((await post('text/plain', `token=${token}`)).statusCode, 415)
  const form = 'application/x-www-form-urlencoded'
  t.equal((await post(form, `token=${token}&token=${token}`)).statusCode, 400)
  t.equal((await post(form, `token=${'x'.repeat(20_000)}`)).statusCode, 413)
  t.equal((await readRows(gateway, 'users')).length, 0)
})

t.test('each language has its own texts and direction', async (t) => {
  const gateway = await testGateway(t)
  const path = await setupPath(gateway)
  for (const locale of locales) {
    const { direction, accountPages } = textsByLocale[locale]
    const headers = { 'accept-language': `xx, ${locale}-XX;q=0.8` }
    const page = await testBrowser(gateway).open(path, headers)
    t.match(page.body, `<html lang="${locale}" dir="${direction}"`)
    t.match(page.body, accountPages.setup.title)
    t.equal(page.headers['content-language'], locale)
    const keys = (value: unknown): string[] =>
      Object.entries(value as object).flatMap(([key, one]) =>
        typeof one === 'string' ? [`${key}:${one.includes('{}')}`] : keys(one),
      )
    t.same(keys(accountPages), keys(textsByLocale.en.accountPages), 'the same placeholders')
  }
})
