/** Subscribing, confirming and managing: third parties can neither learn nor change anything. */
import {
  componentOperations,
  subscriptionOperations as operations,
  type SignUp,
  statusPageOperations,
  subscriberOperations as subscribers,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import t from 'tap'
import { coreKit } from '../../core.fixture.ts'
import { subscriptionCleanupJob } from './jobs.ts'

const kit = await coreKit(t)
const DAY_MS = 24 * 3_600_000
const anyone = () => `${newId()}@example.com`

/** Creates an organization with a published page that shows one of two components. */
const published = async (settings: object = {}) => {
  const one = kit.as()
  const component = async (name: string) =>
    (await one.request(componentOperations.create, { body: { type: 'SERVICE', name } })).body.id
  const [shown, hidden] = [await component('API'), await component('Inner')]
  const slug = `p-${newId().slice(-12)}`
  const { body: page } = await one.request(statusPageOperations.create, {
    body: {
      name: 'Acme',
      slug,
      isPublished: true,
      components: [{ componentId: shown }],
      allowSmsSubscribers: true,
      allowWebhookSubscribers: true,
      ...settings,
    },
  })
  await kit.outbox(one.organizationId)
  const signUp = (body: object, headers: Record<string, string> = {}) =>
    kit.request(operations.subscribe, { params: { slug }, body, headers })
  /** Confirmation requests since the last call. */
  const asked = async () => {
    const { events } = await kit.outbox(one.organizationId)
    return events
      .filter(({ kind }) => kind === 'subscriber.confirmation-requested')
      .map(({ aggregate, data }) => {
        const { organizationId } = one
        const context = { organizationId, purpose: 'mail-token', recordId: aggregate } as const
        return { ...data, secret: kit.sealer.open(data.sealedToken, context) }
      })
  }
  /** Manage token of the newest subscriber, as in its mails. */
  const lastToken = async () => {
    const { events } = await kit.outbox(one.organizationId)
    const { id, manageToken } = events.at(-1)?.data.subscriber ?? {}
    const { organizationId } = one
    return kit.sealer.open(manageToken, { organizationId, purpose: 'mail-token', recordId: id })
  }
  const listed = async () => (await one.request(subscribers.list)).body.data
  return { ...one, slug, page, shown, hidden, signUp, asked, listed, lastToken }
}

const email = (address: string, more: object = {}) => ({ type: 'email', email: address, ...more })
const unconfirmed = { status: 202, body: { status: 'unconfirmed' } }

t.test('absent choices are those of the page, and empty ones are all', async (t) => {
  const { signUp, listed, shown, hidden, page, request, slug } = await published()
  const subscriberDefaults = { componentIds: [hidden, shown], events: ['incident.created'] }
  const change = (body: object) =>
    request(statusPageOperations.update, { params: { id: page.id }, body: body as never })
  t.match((await change({ subscriberDefaults })).body, { subscriberDefaults })
  const chosen = async (more: object) => {
    const address = anyone()
    t.match(await signUp(email(address, more)), unconfirmed)
    const found = (await listed()).find((one: { email: string }) => one.email === address)
    return { componentIds: found.componentIds, events: found.events }
  }
  const events = ['incident.created']
  t.same(await chosen({}), { componentIds: [shown], events }, 'hidden components are skipped')
  t.match(await chosen({ componentIds: [], events: [] }), {
    componentIds: [],
    events: { length: 6 },
  })
  t.same(await chosen({ componentIds: [] }), { componentIds: [], events })
  await change({ subscriberDefaults: { componentIds: [hidden] } })
  t.match(await chosen({}), { componentIds: [], events: { length: 6 } })
  const unknown = newId()
  const wrong: [object | string | null, string][] = [
    [{ componentIds: [unknown] }, 'subscriberDefaults.componentIds[0]'],
    [{ componentIds: [shown, shown] }, 'subscriberDefaults.componentIds'],
    [{ componentIds: 'all' }, 'subscriberDefaults.componentIds'],
    [{ events: ['monitor.down'] }, 'subscriberDefaults.events[0]'],
    ['all', 'subscriberDefaults'],
  ]
  for (const [value, field] of wrong) {
    const response = await change({ subscriberDefaults: value })
    t.equal(response.status, 400, field)
    t.equal(response.body.error.details.field, field)
  }
  const stranger = kit.as()
  const body = { name: 'x', slug: `x${slug}`, subscriberDefaults: { componentIds: [shown] } }
  const foreign = await stranger.request(statusPageOperations.create, { body })
  t.equal(foreign.body.error.details.field, 'subscriberDefaults.componentIds[0]')
  t.match((await change({ subscriberDefaults: null })).body, {
    subscriberDefaults: { componentIds: [], events: [] },
  })
})

t.test('a new subscriber must confirm, and gets no notification before that', async (t) => {
  const { signUp, asked, listed, shown, page, organizationId, request } = await published()
  const address = anyone()
  const wish = { componentIds: [shown], events: ['incident.resolved'] }
  t.match(await signUp(email(address.toUpperCase(), wish)), unconfirmed)
  t.match(await listed(), [
    {
      email: address,
      status: 'unconfirmed',
      source: 'self_signup',
      ...wish,
      statusPageId: page.id,
      confirmedAt: null,
    },
  ])
  const [question] = await asked()
  t.match(question, { purpose: 'confirm', pageName: 'Acme' })
  const { status, body } = await kit.request(operations.confirm, {
    body: { token: question?.secret },
  })
  t.equal(status, 200)
  t.equal(body.status, 'active')
  t.match(await listed(), [{ status: 'active', confirmedAt: /Z$/ }])
  t.match(await kit.outbox(organizationId), {
    events: [{ kind: 'subscriber.updated', data: { subscriber: { status: 'active' } } }],
    audit: ['subscriber.update'],
  })
  const again = await kit.request(operations.confirm, { body: { token: question?.secret } })
  t.equal(again.status, 400, 'a token works once')
  const managed = await kit.request(operations.read, { params: { token: body.manageToken } })
  t.match(managed.body, { destination: /^.\*\*\*@example\.com$/, status: 'active', ...wish })
  t.equal(
    (await request(subscribers.list, { query: { statusPageId: page.id } })).body.meta.total,
    1,
  )
})

t.test('no response reveals whether an address is known, and no request changes it', async (t) => {
  const { request, signUp, asked, listed, lastToken, page, shown } = await published()
  const [active, ended, widely, fresh] = [anyone(), anyone(), anyone(), anyone()]
  const statusPageId = page.id
  await request(subscribers.create, { body: email(active, { statusPageId }) })
  await request(subscribers.create, { body: email(widely) })
  await request(subscribers.create, { body: email(ended, { statusPageId }) })
  await kit.request(operations.unsubscribe, { params: { token: await lastToken() } })
  await asked()
  const before = await listed()
  for (const address of [active, widely, ended, fresh]) {
    const response = await signUp(email(address, { componentIds: [shown] }))
    t.same({ status: response.status, body: response.body }, unconfirmed)
  }
  t.same(
    (await asked()).map(({ purpose }) => purpose),
    ['manage', 'manage', 'confirm', 'confirm'],
  )
  const after = await listed()
  t.equal(after.length, before.length + 1)
  t.same(
    after.filter(({ email: address }: { email: string }) => address !== fresh),
    before,
  )
})

t.test('a confirmation applies the preferences of its own request', async (t) => {
  const { signUp, asked, listed, shown } = await published()
  const address = anyone()
  await signUp(email(address))
  await signUp(email(address, { componentIds: [shown], events: ['incident.created'] }))
  const [first, second] = await asked()
  await kit.request(operations.confirm, { body: { token: first?.secret } })
  t.match(await listed(), [{ componentIds: { length: 0 }, events: { length: 6 } }])
  t.equal((await kit.request(operations.confirm, { body: { token: second?.secret } })).status, 400)
})

t.test(
  'an address gets at most three messages a day, whatever client requests them, tagged or not',
  async (t) => {
    const [one, other] = [await published(), await published()]
    const id = newId()
    const sent: number[] = []
    for (const [to, address] of [
      [one, `${id}@example.com`],
      [other, `${id}+a@example.com`],
      [one, `${id}+b@example.com`],
      [other, `${id}@example.com`],
      [one, `${id}+c@example.com`],
    ] as const) {
      t.equal((await to.signUp(email(address))).status, 202)
      sent.push((await to.asked()).length)
    }
    t.same(sent, [1, 1, 1, 0, 0])
    kit.clock.advance(DAY_MS + 1)
    await one.signUp(email(`${id}@example.com`))
    t.equal((await one.asked()).length, 1)
  },
)

t.test(
  'a link is valid for seven days, and an unconfirmed request is deleted with it',
  async (t) => {
    const { signUp, asked, listed, organizationId } = await published()
    await signUp(email(anyone()))
    const [question] = await asked()
    kit.clock.advance(7 * DAY_MS - 1000)
    const params = { token: question?.secret ?? '' }
    t.equal((await kit.request(operations.confirmPage, { params })).status, 200)
    kit.clock.advance(2000)
    t.equal((await kit.request(operations.confirmPage, { params })).status, 404)
    t.equal((await kit.request(operations.confirm, { body: params })).status, 400)
    const work = subscriptionCleanupJob(kit.database)
    await work.run(new AbortController().signal)
    t.same(await listed(), [])
    t.match(await kit.outbox(organizationId), {
      events: [{ kind: 'subscriber.deleted', version: 2 }],
      audit: ['subscriber.delete'],
    })
  },
)

t.test('a code allows five attempts in fifteen minutes, and the latest code counts', async (t) => {
  const { signUp, asked, listed } = await published()
  const phone = '+14155552671'
  const sms: SignUp = { type: 'sms', phone }
  const codeOf = async () => {
    await signUp(sms)
    return (await asked())[0]?.secret ?? ''
  }
  const confirm = async (code: string) =>
    (await kit.request(operations.confirm, { body: { phone, code } })).status
  const [old, code] = [await codeOf(), await codeOf()]
  t.match(code, /^\d{6}$/)
  if (old !== code) t.equal(await confirm(old), 400)
  const wrong = code === '000000' ? '000001' : '000000'
  for (let tries = 0; tries < 5; tries++) t.equal(await confirm(wrong), 400)
  t.equal(await confirm(code), 400, 'forgotten')
  const last = await codeOf()
  kit.clock.advance(15 * 60_000 - 1000)
  t.equal(await confirm(last), 200)
  t.match(await listed(), [{ phone, status: 'active' }])
})

t.test('an option that the page does not offer is 400 and names the field', async (t) => {
  const { signUp, hidden, asked, listed } = await published({ allowSmsSubscribers: false })
  const { shown: foreign } = await published()
  const webhook = (webhookUrl: string) => ({ type: 'webhook', webhookUrl })
  const cases: [object, string][] = [
    [{ type: 'sms', phone: '+14155552671' }, 'type'],
    [email(anyone(), { componentIds: [hidden] }), 'componentIds[0]'],
    [email(anyone(), { componentIds: [foreign] }), 'componentIds[0]'],
    [email(anyone(), { events: ['monitor.down'] }), 'events[0]'],
    [webhook('http://127.0.0.1/'), 'webhookUrl'],
    [webhook('http://169.254.169.254/latest'), 'webhookUrl'],
    [{ type: 'fax' }, 'type'],
  ]
  for (const [body, field] of cases) {
    const response = await signUp(body)
    t.equal(response.status, 400, JSON.stringify(body))
    t.equal(response.body.error.details.field, field)
  }
  t.same([await asked(), await listed()], [[], []])
  const nowhere = await kit.request(operations.subscribe, {
    params: { slug: 'nope' },
    body: email(anyone()),
  })
  t.equal(nowhere.status, 404)
  const closed = await published({ isPublished: false })
  t.equal((await closed.signUp(email(anyone()))).status, 404)
})

t.test('the secret of a webhook is known only to its owner', async (t) => {
  const { signUp, asked, listed } = await published()
  const hook = { type: 'webhook', webhookUrl: 'https://93.184.215.14/hook' }
  await signUp({ ...hook, webhookSecret: 'a-secret-of-somebody' })
  t.match(await listed(), [{ hasWebhookSecret: false }])
  await signUp({ ...hook, webhookSecret: 'the-secret-of-another' })
  const [first] = await asked()
  t.ok(first?.webhookSecret, 'the confirmation request is signed')
  await kit.request(operations.confirm, { body: { token: first?.secret } })
  t.match(await listed(), [{ hasWebhookSecret: true, status: 'active' }])
})

t.test('a form works without scripts, and GET changes nothing', async (t) => {
  const { signUp, asked, listed, request, shown, hidden } = await published({ name: 'Acme <b>' })
  await signUp(email(anyone()))
  const [question] = await asked()
  const token = question?.secret ?? ''
  const page = await kit.request(operations.confirmPage, { params: { token } })
  t.equal(page.status, 200)
  t.match(page.body, `<form method="post" action="/subscriptions/confirm/${token}">`)
  t.match(page.body, 'Acme &lt;b&gt;')
  t.match(page.headers, { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
  t.match(await listed(), [{ status: 'unconfirmed' }], 'a scanner opened the link')
  const done = await kit.request(operations.confirmForm, { params: { token } })
  t.match(done.body, 'Subscription confirmed')
  const [, manageToken = ''] = /href="\/subscriptions\/([^"]+)"/.exec(done.body) ?? []
  const params = { token: manageToken }
  const form = await kit.request(operations.managePage, { params })
  t.match(form.body, `name="component-${shown}"`)
  t.notMatch(form.body, hidden)
  const save = (fields: Record<string, string>) =>
    kit.request(operations.manageForm, { params, body: new URLSearchParams(fields).toString() })
  const chosen = { scope: 'some', [`component-${shown}`]: 'on', 'event-incident.created': 'on' }
  const saved = await save(chosen)
  t.equal(saved.status, 200)
  t.match(saved.body, 'Changes saved.')
  t.match(saved.body, `name="component-${shown}" value="on" checked`)
  const [{ id }] = await listed()
  const stored = async () => (await request(subscribers.read, { params: { id } })).body
  t.match(await stored(), { componentIds: [shown], events: ['incident.created'] })
  t.equal((await save({ scope: 'all' })).status, 400, 'no kind of notification')
  t.equal((await save({ ...chosen, [`component-${shown}`]: '', scope: 'some' })).status, 200)
  t.equal((await save({ scope: 'some', 'event-incident.created': 'on' })).status, 400)
  t.equal((await save({ ...chosen, [`component-${hidden}`]: 'on' })).status, 400)
  t.match(await stored(), { componentIds: [shown], events: ['incident.created'] })
  for (const dead of [operations.confirmPage, operations.managePage, operations.unsubscribeForm]) {
    const response = await kit.request(dead, { params: { token: 'x'.repeat(43) } })
    t.equal(response.status, 404)
    t.match(response.body, 'This link is not valid')
  }
  t.equal((await kit.request(operations.confirmForm, { params: { token } })).status, 400)
})

t.test('a subscriber chooses among the components of the page, and can unsubscribe', async (t) => {
  const { request, lastToken, listed, page, shown, hidden } = await published()
  const body = email(anyone(), { statusPageId: page.id, componentIds: [hidden] })
  await request(subscribers.create, { body })
  const params = { token: await lastToken() }
  const choose = (wish: object) => kit.request(operations.update, { params, body: wish })
  t.match((await kit.request(operations.read, { params })).body.components, [
    { id: shown, name: 'API' },
  ])
  const kept = await choose({ componentIds: [hidden, shown] })
  t.equal(kept.status, 200, 'an earlier choice may remain')
  t.same(kept.body.componentIds, [hidden, shown])
  t.equal((await choose({ componentIds: [shown] })).status, 200)
  t.equal((await choose({ componentIds: [hidden] })).status, 400)
  t.equal((await choose({ events: [] })).body.events.length, 6)
  t.equal((await choose({ status: 'quarantined' })).body.status, 'active')
  await kit.request(operations.unsubscribe, { params })
  const late = await choose({ componentIds: [] })
  t.equal(late.status, 409)
  t.equal(late.body.error.details.reason, 'invalid_state')
  t.match(await listed(), [{ status: 'unsubscribed' }])
  t.equal((await kit.request(operations.read, { params: { token: 'nobody' } })).status, 404)
})

t.test('a confirmation requires a token, or a phone number and its code', async (t) => {
  for (const body of [{}, { phone: '+14155552671' }, { code: '123456' }, { token: 'x' }]) {
    t.equal((await kit.request(operations.confirm, { body })).status, 400)
  }
  const unknown = { phone: '+14155552672', code: '123456' }
  t.equal((await kit.request(operations.confirm, { body: unknown })).status, 400)
})
