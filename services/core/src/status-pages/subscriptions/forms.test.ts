/**
 * Forms without a script: subscribing requests a confirmation, the correct password grants access,
 * errors are shown.
 */
import { statusPageOperations, subscriberOperations } from '@status-page/contracts'
import t from 'tap'
import { coreKit } from '../../core.fixture.ts'
import { publishedOn } from '../html/pages.fixture.ts'

const kit = await coreKit(t)

t.test('a subscription form redirects to a page that explains the next step', async (t) => {
  const { post, get, component, slug, organizationId } = await publishedOn(kit)
  const [api] = [await component('API'), await component('Web')]
  await kit.outbox(organizationId)
  const fields = {
    type: 'email',
    email: ' Ana@Example.com ',
    scope: 'some',
    [`component-${api}`]: 'on',
  }
  const response = await post('/subscribe', fields)
  t.equal(response.statusCode, 303)
  t.equal(response.headers.location, `/status/${slug}/subscribe?asked=email`)
  const { events } = await kit.outbox(organizationId)
  t.same(
    events.map(({ kind }) => kind),
    ['subscriber.created', 'subscriber.confirmation-requested'],
  )
  t.match((await get('/subscribe?asked=email')).body, 'We sent you a confirmation email.')
})

t.test('a refused form is returned with the submitted values', async (t) => {
  const { post, component } = await publishedOn(kit)
  await component('API')
  const refused: [Record<string, string>, string][] = [
    [{ type: 'email', email: 'ana"<at>' }, 'This address cannot be used.'],
    [{ type: 'sms', phone: '+49 30 901820' }, 'This address cannot be used.'],
    [{ type: 'email', email: 'a@example.com', scope: 'some' }, 'Select at least one component'],
  ]
  for (const [fields, text] of refused) {
    const response = await post('/subscribe', fields)
    t.equal(response.statusCode, 400)
    t.match(response.body, text)
    t.equal(response.headers['cache-control'], 'no-store')
  }
  const { body } = await post('/subscribe', { type: 'email', email: 'ana"<at>' })
  t.match(body, 'value="ana&quot;&lt;at&gt;" aria-invalid="true"')
})

t.test(
  'a refused subscription returns with its address, choice and selected components',
  async (t) => {
    const { post, request, component, organizationId } = await publishedOn(kit)
    const [api, web] = [await component('API'), await component('Web')]
    await kit.outbox(organizationId)
    const email = 'ana@example.com'
    const ticked = { type: 'email', email, scope: 'all', [`component-${api}`]: 'on' }
    const { statusCode, body } = await post('/subscribe', ticked)
    t.equal(statusCode, 400)
    t.match(body, 'Select either all components or individual ones.')
    t.match(body, `required value="${email}"><button`)
    t.match(body, /<details open><summary>[^<]*<\/summary><fieldset aria-invalid="true"/)
    t.match(body, /value="some" checked>/)
    t.notMatch(body, /value="all" checked>/)
    t.match(body, `id="email-${api}" checked>`)
    t.notMatch(body, `id="email-${web}" checked>`)
    const { body: misspelt } = await post('/subscribe', { ...ticked, scope: 'some', email: 'a@' })
    t.match(misspelt, 'value="a@" aria-invalid="true"')
    t.match(misspelt, /value="some" checked>/)
    t.match(misspelt, `id="email-${api}" checked>`)
    t.same((await kit.outbox(organizationId)).events, [], 'nothing is subscribed')
    const corrected = await post('/subscribe', { ...ticked, scope: 'some' })
    t.equal(corrected.statusCode, 303)
    const { body: subscribers } = await request(subscriberOperations.list)
    t.same(
      subscribers.data.map(({ componentIds }: { componentIds: string[] }) => componentIds),
      [[api]],
    )
  },
)

t.test('the form ticks the default components, and the choice of all overrides them', async (t) => {
  const { post, get, request, component, page } = await publishedOn(kit)
  const [api, web] = [await component('API'), await component('Web')]
  const subscriberDefaults = { componentIds: [api], events: ['incident.resolved'] }
  const body = { subscriberDefaults } as never
  await request(statusPageOperations.update, { params: { id: page.id }, body })
  const form = (await get('/subscribe')).body
  t.match(form, /<details open>/)
  t.match(form, `id="email-${api}" checked>`)
  t.notMatch(form, `id="email-${web}" checked>`)
  t.match(form, `<input type="hidden" name="default-${api}">`)
  const untouched = { type: 'email', [`component-${api}`]: 'on', [`default-${api}`]: '' }
  const submissions: [string, Record<string, string>, string[]][] = [
    ['a@example.com', { ...untouched, scope: 'some' }, [api]],
    ['b@example.com', { ...untouched, scope: 'all' }, []],
    ['c@example.com', { ...untouched, scope: 'some', [`component-${web}`]: 'on' }, [api, web]],
  ]
  for (const [email, fields, componentIds] of submissions) {
    t.equal((await post('/subscribe', { ...fields, email })).statusCode, 303, email)
    const { data } = (await request(subscriberOperations.list, { query: { search: email } })).body
    t.match(data, [{ componentIds, events: ['incident.resolved'] }], email)
  }
  const more = { ...untouched, scope: 'all', [`component-${web}`]: 'on', email: 'd@example.com' }
  t.equal((await post('/subscribe', more)).statusCode, 400, 'both chosen')
})

t.test('a form without scope takes the default components, also after a refusal', async (t) => {
  const { post, request, change, component } = await publishedOn(kit)
  const [api, web] = [await component('API'), await component('Web')]
  await change({ subscriberDefaults: { componentIds: [api], events: ['incident.resolved'] } })
  const { statusCode, body: misspelt } = await post('/subscribe', { email: 'a@' })
  t.equal(statusCode, 400)
  t.match(misspelt, 'value="a@" aria-invalid="true"')
  t.match(misspelt, /value="some" checked>/)
  t.notMatch(misspelt, /value="all" checked>/)
  t.match(misspelt, `id="email-${api}" checked>`)
  t.notMatch(misspelt, `id="email-${web}" checked>`)
  t.equal((await post('/subscribe', { email: 'a@example.com' })).statusCode, 303)
  t.match((await request(subscriberOperations.list)).body.data, [
    { componentIds: [api], events: ['incident.resolved'] },
  ])
})

t.test('the code of a text message confirms, a wrong one is an error', async (t) => {
  const { post, organizationId } = await publishedOn(kit, { allowSmsSubscribers: true })
  const phone = '+4930901821'
  await kit.outbox(organizationId)
  t.equal((await post('/subscribe', { type: 'sms', phone: '+49 (30) 901-821' })).statusCode, 303)
  const { events } = await kit.outbox(organizationId)
  const asked = events.find(({ kind }) => kind === 'subscriber.confirmation-requested')
  const context = {
    organizationId,
    purpose: 'mail-token',
    recordId: asked?.aggregate ?? '',
  } as const
  const code = kit.sealer.open(asked?.data.sealedToken, context)
  const wrong = code === '000000' ? '000001' : '000000'
  t.match(
    (await post('/subscribe', { type: 'sms', phone, code: wrong })).body,
    'The code is incorrect',
  )
  const right = await post('/subscribe', { type: 'sms', phone, code })
  t.equal(right.statusCode, 303)
  t.match(right.headers.location, /^\/subscriptions\/[\w-]{43}$/)
})

t.test('a protected page requires its password and shows nothing of its content', async (t) => {
  const password = 'a-long-enough-password'
  const settings = { name: 'Secret name', visibility: 'password', password, locale: 'de' }
  const { get, post, data, component, slug } = await publishedOn(kit, settings)
  await component('Secret part')
  for (const path of ['', '/history', '/subscribe']) {
    const { statusCode, body, headers } = await get(path)
    t.equal(statusCode, 401, path)
    t.equal(headers['cache-control'], 'no-store')
    t.match(body, `action="/status/${slug}/access"`)
    t.notMatch(body, 'Secret', path)
  }
  for (const path of ['/embed', '/embed.js', '/favicon.svg', '/llms.txt']) {
    t.equal((await get(path)).statusCode, 401, path)
  }
  t.equal((await data('/api/v2/summary.json')).statusCode, 401)
  t.equal((await data('/badge.svg')).statusCode, 401)
  const asked = await get('/access')
  t.equal(asked.statusCode, 200)
  t.match(asked.body, `action="/status/${slug}/access"`)
  const wrong = await post('/access', { password: 'another-long-password' })
  t.equal(wrong.statusCode, 401)
  t.match(wrong.body, 'Incorrect password.')
  const right = await post('/access', { password })
  t.equal(right.statusCode, 303)
  t.equal(right.headers.location, `/status/${slug}`)
  const [cookie = ''] = [right.headers['set-cookie'] ?? []]
    .flat()
    .map((one) => one.split(';', 1)[0])
  const opened = await get('', { cookie })
  t.equal(opened.statusCode, 200)
  t.match(opened.body, 'Secret part')
  t.equal(opened.headers['cache-control'], 'no-store')
  t.equal((await data('/api/v2/summary.json', { cookie })).statusCode, 200)
})

t.test('a visitor without access gets the same page as for an unknown slug', async (t) => {
  const hidden = await publishedOn(kit, { visibility: 'members' })
  const unknown = await kit.http.inject({ url: '/status/unknown', headers: kit.anonymous })
  const response = await hidden.get('')
  t.equal(response.statusCode, 404)
  t.equal(response.body, unknown.body)
  const german = await hidden.get('', { 'accept-language': 'de-DE,de;q=0.9' })
  t.match(german.body, '<html lang="de"')
})

t.test('a password is never sent to another host, whatever the address contains', async (t) => {
  for (const slug of ['..%2F%2Fevil.test', '..', '%2F%2Fevil.test', '%22%3E']) {
    const url = `/status/${slug}/access`
    const { body, statusCode } = await kit.http.inject({ url, headers: kit.anonymous })
    t.equal(statusCode, 404, slug)
    t.notMatch(body, 'action=', slug)
  }
})
