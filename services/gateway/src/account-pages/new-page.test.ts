/** Form for a new status page: its rules, its failures, and repeated submissions. */
import { locales } from '@status-page/contracts'
import { textsByLocale } from '@status-page/html/texts'
import { httpTarget, type TargetRequest } from '@status-page/testing'
import t, { type Test } from 'tap'
import { asMember, registerMember, testGateway } from '../gateway.fixture.ts'
import { addMember, callApi } from '../organization.fixture.ts'
import { browserOf, messagesOf, testBrowser } from './browser.fixture.ts'

const texts = textsByLocale.en.accountPages
const PAGE_ID = '01990000-0000-7000-8000-000000000001'
const COMPONENT_ID = '01990000-0000-7000-8000-000000000002'

const page = {
  id: PAGE_ID,
  name: '<Acme>',
  isPublished: true,
  url: 'http://status.test/status/acme',
  components: [{ componentId: COMPONENT_ID }],
}

const component = (checks: object[], createdAt = new Date()) => ({
  id: COMPONENT_ID,
  type: 'ENDPOINT',
  name: 'a.example',
  isEnabled: true,
  createdAt: createdAt.toISOString(),
  checks,
})

interface ScriptedResponse {
  status?: number
  body: object
}

const json = ({ status = 200, body }: ScriptedResponse) => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

const created = { status: 201, body: { id: PAGE_ID, componentIds: [COMPONENT_ID] } }

const refusal = (status: number, code: string, details: object) => ({
  status,
  body: { error: { code, message: 'refused', details } },
})

/** Gateway with a signed-in owner, over a core whose reply to the set-up is scripted. */
const scenario = async (
  t: Test,
  responses: ScriptedResponse[] = [created],
  checks: object[] = [],
  createdAt?: Date,
) => {
  const core = await httpTarget(t, ({ url }: TargetRequest) => {
    if (url.startsWith('/internal/page-setups')) {
      return json((responses.length > 1 ? responses.shift() : responses[0]) ?? created)
    }
    if (url.startsWith(`/api/v1/status-pages/${PAGE_ID}`)) return json({ body: page })
    if (url.startsWith('/api/v1/status-pages/')) {
      return json(refusal(404, 'NOT_FOUND', {}))
    }
    if (url.startsWith('/api/v1/components/')) return json({ body: component(checks, createdAt) })
    return json({ body: { data: [], domains: [], isLast: true, pages: [] } })
  })
  const gateway = await testGateway(t, { CORE_URL: core.url })
  const owner = await registerMember(gateway)
  const browser = browserOf(gateway, owner)
  const form = await browser.open('/account/new-page')
  const key = /name="key" value="([^"]+)"/.exec(form.body)?.[1] ?? ''
  const submit = (fields: object = {}, headers?: Record<string, string>) =>
    browser.submit(
      '/account/new-page',
      { key, name: 'Acme', slug: 'acme', urls: '', visibility: 'public', ...fields },
      headers,
    )
  const setups = () => core.requests.filter(({ url }) => url === '/internal/page-setups')
  return { core, gateway, owner, browser, form, submit, setups }
}

t.test('the form suggests the organization, and works without scripts', async (t) => {
  const { form, owner, browser } = await scenario(t)
  const { name, slug } = owner.identity.organization
  t.equal(form.statusCode, 200)
  t.match(form.body, `value="${name}"`)
  t.match(form.body, `value="${slug}"`)
  t.match(form.headers['content-security-policy'], /script-src 'none'/)
  t.match((await browser.open('/account')).body, 'href="/account/new-page"')
  for (const locale of locales) {
    const { accountPages, direction } = textsByLocale[locale]
    const localized = await browser.open('/account/new-page', { 'accept-language': locale })
    t.match(localized.body, `dir="${direction}"`)
    t.match(localized.body, accountPages.newPage.title)
    t.match(localized.body, accountPages.newPage.visibilities.members)
  }
})

t.test(
  'a form creates everything by one request of the user, checks it, and shows it',
  async (t) => {
    const checks = [{ success: true, statusCode: 200, responseTime: 12.4, error: null }]
    const { submit, setups, core, browser } = await scenario(t, [created], checks)
    const done = await submit({ slug: '', urls: 'a.example/x\r\nhttp://b.example\r\n' })
    t.equal(done.statusCode, 303)
    t.equal(done.headers.location, `/account/pages/${PAGE_ID}`)
    t.same(JSON.parse(setups()[0]?.body ?? ''), {
      page: { name: 'Acme', slug: 'acme', isPublished: true, locale: 'en', visibility: 'public' },
      endpoints: [
        { name: 'a.example/x', url: 'https://a.example/x' },
        { name: 'b.example', url: 'http://b.example' },
      ],
    })
    t.ok(core.requests.some(({ url }) => url === `/api/v1/components/${COMPONENT_ID}/check`))
    const overview = await browser.open(`/account/pages/${PAGE_ID}`)
    t.equal(overview.statusCode, 200)
    t.match(overview.body, '&lt;Acme&gt;')
    t.match(overview.body, `href="${page.url}"`)
    t.match(overview.body, `${texts.overview.reachable} · HTTP 200 · 12 ms`)
  },
)

t.test('the overview shows failed and missing checks', async (t) => {
  const { browser } = await scenario(
    t,
    [created],
    [{ success: false, statusCode: null, responseTime: null, error: 'dns_error' }],
  )
  const { body, headers } = await browser.open(`/account/pages/${PAGE_ID}`)
  t.match(body, `${texts.overview.failing} · ${texts.overview.reasons.name}`)
  t.equal(headers.refresh, undefined, 'every component has a result')
})

t.test('the overview reloads itself until the first checks are due no longer', async (t) => {
  const unchecked = await scenario(t)
  const waiting = await unchecked.browser.open(`/account/pages/${PAGE_ID}`)
  t.match(waiting.body, texts.overview.unchecked)
  t.equal(waiting.headers.refresh, '5')
  const earlier = await scenario(t, [created], [], new Date(Date.now() - 3 * 60_000))
  const ended = await earlier.browser.open(`/account/pages/${PAGE_ID}`)
  t.match(ended.body, texts.overview.unchecked)
  t.equal(ended.headers.refresh, undefined)
})

t.test('refused values stay, and each message is at its field', async (t) => {
  const issues = [{ field: 'endpoints[1].url', message: 'private' }]
  const { submit, form } = await scenario(t, [
    refusal(400, 'VALIDATION_ERROR', { field: 'endpoints[1].url', issues }),
    refusal(409, 'CONFLICT', { reason: 'duplicate' }),
    refusal(400, 'VALIDATION_ERROR', {
      field: 'page.name',
      issues: [
        { field: 'page.name', message: 'x' },
        { field: 'page.slug', message: 'x' },
      ],
    }),
    refusal(400, 'VALIDATION_ERROR', {
      field: 'password',
      issues: [{ field: 'password', message: 'x' }],
    }),
  ])
  t.equal(form.statusCode, 200)
  const script = '<script>alert(1)</script>'
  const urls = `https://a.example\r\n10.0.0.1/${script}`
  const unusable = await submit({ name: script, urls })
  t.equal(unusable.statusCode, 400)
  t.ok(messagesOf(unusable.body, 'urls').includes('urls-error'))
  t.match(unusable.body, '<bdi>10.0.0.1/&lt;script&gt;')
  t.notMatch(unusable.body, '<script')
  t.notMatch(unusable.body, '<bdi>https://a.example')
  t.match(unusable.body, 'value="&lt;script&gt;')
  const taken = await submit()
  t.equal(taken.statusCode, 409)
  t.match(taken.body, texts.newPage.takenSlug)
  t.match(taken.body, /<input id="slug"[^>]*value="acme"/)
  const invalid = await submit()
  for (const field of ['name', 'slug']) {
    t.ok(messagesOf(invalid.body, field).includes(`${field}-error`), field)
  }
  const unprotected = await submit({ visibility: 'password', password: 'short' })
  t.ok(messagesOf(unprotected.body, 'password').includes('password-error'))
  t.match(unprotected.body, 'value="password" checked')
  t.notMatch(unprotected.body, 'short')
})

t.test('too many and too long values are refused before anything is created', async (t) => {
  const { submit, setups, browser } = await scenario(t)
  const urls = Array.from({ length: 21 }, (_, index) => `https://a.example/${index}`)
  const many = await submit({ urls: urls.join('\r\n') })
  t.equal(many.statusCode, 400)
  t.match(many.body, texts.invalid.urls)
  t.equal((await submit({ name: 'x'.repeat(2_049) })).statusCode, 400)
  t.equal((await submit({ urls: 'x'.repeat(1_000_000) })).statusCode, 413)
  t.equal((await submit({ key: '../x' })).statusCode, 400)
  t.equal((await browser.submit('/account/new-page', { name: 'Acme' })).statusCode, 400)
  t.equal(setups().length, 0)
})

t.test('the same form is the same request, and other values are another one', async (t) => {
  const running = refusal(409, 'CONFLICT', { reason: 'already_running' })
  const { submit, setups } = await scenario(t, [running, created])
  t.equal((await submit()).statusCode, 303, 'waits for the first submission')
  t.equal((await submit()).statusCode, 303)
  await submit({ name: 'Other' })
  const keys = setups().map(({ headers }) => headers['idempotency-key'])
  t.equal(keys.length, 4)
  t.equal(new Set(keys.slice(0, 3)).size, 1)
  t.not(keys[3], keys[0])
})

t.test(
  'a form of another site, without a session or without the right creates nothing',
  async (t) => {
    const { submit, setups, gateway, owner } = await scenario(t)
    t.equal((await submit({}, { 'sec-fetch-site': 'cross-site' })).statusCode, 403)
    t.equal((await submit({}, { origin: 'https://evil.example' })).statusCode, 403)
    const stranger = testBrowser(gateway)
    const fields = { key: 'x', name: 'Acme', urls: '' }
    const path = '/account/new-page'
    t.equal(
      (await stranger.submit(path, fields)).headers.location,
      '/sign-in?next=%2Faccount%2Fnew-page',
    )
    const viewer = browserOf(gateway, await addMember(gateway, owner, 'VIEWER'))
    for (const refused of [await viewer.open(path), await viewer.submit(path, fields)]) {
      t.equal(refused.statusCode, 403)
      t.match(refused.body, texts.problems.forbidden)
    }
    t.notMatch((await viewer.open('/account')).body, 'href="/account/new-page"')
    t.equal(setups().length, 0)
  },
)

t.test('a session without a required second factor is led to its set-up', async (t) => {
  const { submit, setups, gateway, owner, browser } = await scenario(t)
  await callApi(gateway, 'PATCH /organization', asMember(owner), { require2FA: true })
  t.equal((await submit()).headers.location, '/account/two-factor')
  for (const path of ['/account/new-page', `/account/pages/${PAGE_ID}`]) {
    t.equal((await browser.open(path)).headers.location, '/account/two-factor')
  }
  t.equal(setups().length, 0)
})

t.test('unknown pages and an unavailable core are pages too', async (t) => {
  const { browser } = await scenario(t)
  for (const id of ['01990000-0000-7000-8000-00000000000f', 'x', '%3Cscript%3E']) {
    const missing = await browser.open(`/account/pages/${id}`)
    t.equal(missing.statusCode, 404, id)
    t.match(missing.headers['content-type'], 'text/html')
    t.match(missing.body, textsByLocale.en.statusPage.unknown)
  }
  const failing = await scenario(t, [refusal(503, 'SERVICE_UNAVAILABLE', {})])
  const refused = await failing.submit({ name: 'Kept' })
  t.equal(refused.statusCode, 503)
  t.match(refused.body, 'value="Kept"')
})
