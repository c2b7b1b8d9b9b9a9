/** Alerts and drafts for signed-in members: state, rights, and refusals that change nothing. */
import { locales } from '@status-page/contracts'
import { textsByLocale } from '@status-page/html/texts'
import { httpTarget, type TargetRequest } from '@status-page/testing'
import t, { type Test } from 'tap'
import { asMember, registerMember, testGateway } from '../gateway.fixture.ts'
import { addMember, callApi } from '../organization.fixture.ts'
import { browserOf, testBrowser } from './browser.fixture.ts'

const ID = '01990000-0000-7000-8000-000000000001'
const texts = textsByLocale.en.statusPage.actions
const alert = {
  id: ID,
  status: 'triggered',
  title: '<API> is down',
  details: { event: 'monitor.down', name: '<API>' },
  severity: 'critical',
  triggeredAt: '2026-08-01T10:00:00.000Z',
}
const draft = {
  id: ID,
  status: 'waiting',
  title: 'High latency',
  impact: 'major',
  message: '**p99** is <3 s>, see [the graph](https://example.com/graph)',
  startedAt: '2026-08-01T10:00:00.000Z',
  publishAt: '2026-08-01T10:30:00.000Z',
}

/** Gateway with a signed-in owner, over a core with one alert and one draft. */
const scenario = async (t: Test, more: { alert?: object; draft?: object } = {}) => {
  let refusal: { status: number; code: string } | null = null
  const reply = (status: number, body: object) => ({
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const core = await httpTarget(t, ({ method, url }: TargetRequest) => {
    if (method === 'POST' && refusal !== null) {
      const { status, code } = refusal
      return reply(status, { error: { code, message: 'refused' } })
    }
    if (url.startsWith(`/api/v1/oncall/alerts/${ID}`))
      return reply(200, { ...alert, ...more.alert })
    if (url.startsWith(`/api/v1/incident-drafts/${ID}`))
      return reply(200, { ...draft, ...more.draft })
    if (url.includes('alerts') || url.includes('drafts'))
      return reply(404, { error: { code: 'NOT_FOUND', message: 'Resource not found' } })
    return reply(200, { data: [], domains: [], isLast: true, pages: [] })
  })
  const gateway = await testGateway(t, { CORE_URL: core.url })
  const owner = await registerMember(gateway)
  return {
    gateway,
    owner,
    browser: browserOf(gateway, owner),
    acts: () => core.requests.filter(({ method }) => method === 'POST').map(({ url }) => url),
    refuse: (status: number, code: string) => {
      refusal = { status, code }
    },
  }
}

t.test('a page shows the alert or draft, and opening it changes nothing', async (t) => {
  const { browser, acts } = await scenario(t)
  const page = await browser.open(`/account/alerts/${ID}`)
  t.equal(page.statusCode, 200)
  for (const text of ['&lt;API&gt; is down', 'Critical', '>Acknowledge<', '>Resolve<', ' UTC'])
    t.match(page.body, text)
  const { body } = await browser.open(`/account/drafts/${ID}`)
  for (const text of [
    'High latency',
    '<strong>p99</strong> is &lt;3 s&gt;',
    'href="https://example.com/graph"',
    '>Publish<',
    '>Veto<',
  ])
    t.match(body, text)
  const german = await browser.open(`/account/alerts/${ID}`, { 'accept-language': 'de' })
  t.match(german.body, '&lt;API&gt; ist ausgefallen')
  for (const locale of locales) {
    const { body } = await browser.open(`/account/drafts/${ID}`, { 'accept-language': locale })
    t.match(body, textsByLocale[locale].statusPage.actions.buttons.publish)
  }
  t.same(acts(), [])
})

t.test('a button sends the operation of the JSON API as the user', async (t) => {
  const { browser, acts } = await scenario(t)
  const done = await browser.submit(`/account/alerts/${ID}`, { action: 'acknowledge' })
  t.equal(done.headers.location, `/account/alerts/${ID}`)
  await browser.submit(`/account/alerts/${ID}`, { action: 'resolve' })
  await browser.submit(`/account/drafts/${ID}`, { action: 'publish' })
  await browser.submit(`/account/drafts/${ID}`, { action: 'veto' })
  t.same(acts(), [
    `/api/v1/oncall/alerts/${ID}/acknowledge`,
    `/api/v1/oncall/alerts/${ID}/resolve`,
    `/api/v1/incident-drafts/${ID}/publish`,
    `/api/v1/incident-drafts/${ID}/veto`,
  ])
})

t.test('a state offers the actions that are left, and a late one is 409', async (t) => {
  const { browser, refuse } = await scenario(t, {
    alert: { status: 'acknowledged' },
    draft: { status: 'vetoed' },
  })
  const { body } = await browser.open(`/account/alerts/${ID}`)
  t.match(body, texts.states.acknowledged)
  t.notMatch(body, '>Acknowledge<')
  const vetoed = await browser.open(`/account/drafts/${ID}`)
  t.match(vetoed.body, texts.states.vetoed)
  t.notMatch(vetoed.body, '<button')
  refuse(409, 'CONFLICT')
  const late = await browser.submit(`/account/drafts/${ID}`, { action: 'publish' })
  t.equal(late.statusCode, 409)
  t.match(late.body, texts.alreadyDone)
})

t.test('strangers, other sites, other organizations and viewers change nothing', async (t) => {
  const { gateway, owner, browser, acts } = await scenario(t)
  const path = `/account/alerts/${ID}`
  const stranger = testBrowser(gateway)
  const toLogin = `/sign-in?next=${encodeURIComponent(path)}`
  t.equal((await stranger.open(path)).headers.location, toLogin)
  t.equal((await stranger.submit(path, { action: 'resolve' })).headers.location, toLogin)
  const cross = { 'sec-fetch-site': 'cross-site' }
  t.equal((await browser.submit(path, { action: 'resolve' }, cross)).statusCode, 403)
  t.equal((await browser.submit(path, { action: 'veto' })).statusCode, 400)
  const viewer = browserOf(gateway, await addMember(gateway, owner, 'VIEWER'))
  t.notMatch((await viewer.open(path)).body, '<button')
  t.equal((await browser.open(path.replace(/1$/, '2'))).statusCode, 404)
  t.equal((await browser.open('/account/drafts/x')).statusCode, 404)
  await callApi(gateway, 'PATCH /organization', asMember(owner), { require2FA: true })
  const unsafe = await browser.submit(path, { action: 'resolve' })
  t.equal(unsafe.headers.location, '/account/two-factor')
  t.same(acts(), [])
})
