/** Subscriptions to one incident: requested on its page, confirmed, and deleted after its end. */
import {
  incidentOperations,
  subscriptionOperations as operations,
  subscriberErasureOperations,
  subscriberOperations as subscribers,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import t from 'tap'
import { coreKit } from '../../core.fixture.ts'
import { publishedOn } from '../html/pages.fixture.ts'

const kit = await coreKit(t)
const DAY_MS = 24 * 3_600_000
const INCIDENT_EVENTS = ['incident.created', 'incident.updated', 'incident.resolved']

const scene = async (settings: object = {}) => {
  const one = await publishedOn(kit, settings)
  const api = await one.component('API')
  const hidden = await one.component('Inner')
  const entry = { componentId: api }
  if (one.page.components.length === 0) await one.change({ components: [entry] })
  const incident = await one.open({ title: 'API errors', componentIds: [api] })
  await kit.outbox(one.organizationId)
  const follow = (address: string, more: object = {}) =>
    kit.request(operations.subscribe, {
      params: { slug: one.slug },
      body: { type: 'email', email: address, incidentId: incident.id, ...more },
    })
  /** Secrets of the confirmation requests and manage links since the last call. */
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
  /** Follows the incident and returns the token of the confirmed subscription. */
  const followed = async (address: string): Promise<string> => {
    await follow(address)
    const [question] = await asked()
    const body = { token: question?.secret }
    return (await kit.request(operations.confirm, { body })).body.manageToken
  }
  const listed = async (query: object = {}) =>
    (await one.request(subscribers.list, { query: query as never })).body.data
  const runJob = async () => {
    const job = kit.jobs.find(({ name }) => name === 'incident-subscriptions')
    return job?.run(new AbortController().signal)
  }
  return { ...one, api, hidden, incident, follow, asked, followed, listed, runJob }
}

const anyone = () => `${newId()}@example.com`

t.test('a visitor follows one incident after confirming', async (t) => {
  const { incident, follow, asked, listed, page, organizationId } = await scene()
  const address = anyone()
  t.match(await follow(address), { status: 202, body: { status: 'unconfirmed' } })
  const [question] = await asked()
  t.match(question, { purpose: 'confirm', pageName: 'API errors – Acme' })
  t.match(question?.subscriber, { incidentId: incident.id, status: 'unconfirmed' })
  const before = await kit.request(operations.confirmPage, { params: { token: question?.secret } })
  t.match(before.body, 'Only updates of the incident <bdi>API errors</bdi> are sent')
  const { body } = await kit.request(operations.confirm, { body: { token: question?.secret } })
  t.match(await listed({ incidentId: incident.id }), [
    {
      email: address,
      status: 'active',
      statusPageId: page.id,
      incidentId: incident.id,
      componentIds: [],
      events: INCIDENT_EVENTS,
    },
  ])
  const params = { token: body.manageToken }
  t.match((await kit.request(operations.read, { params })).body, {
    incidentId: incident.id,
    components: [],
  })
  const managed = await kit.request(operations.managePage, { params })
  t.match(managed.body, 'API errors')
  t.notMatch(managed.body, '<fieldset>')
  const narrowed = await kit.request(operations.update, { params, body: { componentIds: [] } })
  t.match([narrowed.status, narrowed.body.error.code], [409, 'CONFLICT'])
  await kit.outbox(organizationId)
  await follow(address)
  t.match(await asked(), [{ purpose: 'manage' }], 'an active one gets its link again')
  t.equal((await listed()).length, 1)
})

t.test('only unresolved incidents that the page shows can be followed', async (t) => {
  const { incident, hidden, open, postUpdate, follow, listed, api, change, get } = await scene()
  const inner = await open({ title: 'Inner errors', componentIds: [hidden] })
  const other = await scene()
  for (const id of [newId(), inner.id, other.incident.id]) {
    const { status, body } = await follow(anyone(), { incidentId: id })
    t.match([status, body.error.code], [404, 'NOT_FOUND'])
  }
  for (const more of [{ componentIds: [api] }, { events: ['incident.created'] }]) {
    const { status, body } = await follow(anyone(), more)
    t.match([status, body.error.code], [400, 'VALIDATION_ERROR'])
    t.equal(body.error.details.field, Object.keys(more)[0])
  }
  t.equal((await follow(anyone(), { incidentId: 'nonsense' })).status, 400)
  await postUpdate(incident.id, { status: 'resolved', message: 'Over.' })
  t.match((await follow(anyone())).status, 409)
  for (const restriction of [{ visibility: 'members' }, { isPublished: false }]) {
    await change(restriction)
    t.equal((await follow(anyone())).status, 404)
    t.equal((await get(`/subscribe?incidentId=${incident.id}`)).statusCode, 404)
  }
  t.same(await listed(), [])
})

t.test('an incident links to its form, which submits without a script', async (t) => {
  const { incident, get, post, postUpdate, slug, change, listed } = await scene()
  const path = `/subscribe?incidentId=${incident.id}`
  const link = `href="/status/${slug}${path}"`
  for (const from of ['', `/incidents/${incident.id}`]) t.match((await get(from)).body, link)
  const form = await get(path)
  t.match(form.body, `name="incidentId" value="${incident.id}"`)
  t.match(form.body, 'Get notified about each update of this incident until it is resolved.')
  t.notMatch(form.body, 'type="checkbox"')
  t.equal((await get(`/subscribe?incidentId=${newId()}`)).statusCode, 404)
  const fields = { type: 'email', email: anyone(), incidentId: incident.id }
  const sent = await post('/subscribe', fields)
  t.equal(sent.headers.location, `/status/${slug}/subscribe?asked=email&incidentId=${incident.id}`)
  t.match(await listed(), [{ incidentId: incident.id }])
  const refused = await post('/subscribe', { ...fields, email: 'nonsense' })
  t.equal(refused.statusCode, 400)
  t.match(refused.body, `name="incidentId" value="${incident.id}"`)
  await change({ allowEmailSubscribers: false })
  t.notMatch((await get('')).body, link)
  await change({ allowEmailSubscribers: true })
  await postUpdate(incident.id, { status: 'resolved', message: 'Over.' })
  t.notMatch((await get(`/incidents/${incident.id}`)).body, link)
  const late = await post('/subscribe', { ...fields, email: anyone() })
  t.equal(late.statusCode, 400)
  for (const body of [late.body, (await get(path)).body]) {
    t.match(body, 'This incident is resolved.')
    t.notMatch(body, 'name="incidentId"')
  }
})

t.test('the end of a subscription to an incident concerns no other subscription', async (t) => {
  const { followed, request, listed, page, organizationId } = await scene()
  const address = anyone()
  const token = await followed(address)
  const whole = { type: 'email', email: address, statusPageId: page.id }
  t.equal((await request(subscribers.create, { body: whole })).status, 201)
  await kit.outbox(organizationId)
  await kit.request(operations.unsubscribe, { params: { token } })
  const states = async () =>
    (await listed())
      .map((one: { incidentId: string | null; status: string }) => [
        one.incidentId === null,
        one.status,
      ])
      .sort()
  t.same(await states(), [
    [false, 'unsubscribed'],
    [true, 'active'],
  ])
  const elsewhere = await request(subscribers.create, { body: { type: 'email', email: address } })
  t.match([elsewhere.status, elsewhere.body.status], [201, 'active'], 'no withdrawal')
})

t.test('a subscription is deleted seven days after the resolution', async (t) => {
  const { followed, listed, runJob, incident, postUpdate, request, organizationId } = await scene()
  const address = anyone()
  const token = await followed(address)
  await postUpdate(incident.id, { status: 'resolved', message: 'Over.' })
  kit.clock.advance(6 * DAY_MS)
  await runJob()
  t.equal((await listed()).length, 1, 'the resolution is still being delivered')
  await postUpdate(incident.id, { status: 'investigating', message: 'Again.' })
  kit.clock.advance(2 * DAY_MS)
  await runJob()
  t.equal((await listed()).length, 1, 'the incident was reopened')
  await postUpdate(incident.id, { status: 'resolved', message: 'Over.' })
  kit.clock.advance(7 * DAY_MS + 1_000)
  await kit.outbox(organizationId)
  await Promise.all([runJob(), runJob()])
  t.same(await listed(), [])
  const { events, audit } = await kit.outbox(organizationId)
  t.match(events, [{ kind: 'subscriber.deleted' }])
  t.same(audit, ['subscriber.delete'])
  t.equal((await kit.request(operations.read, { params: { token } })).status, 404)
  const again = await request(subscribers.create, { body: { type: 'email', email: address } })
  t.equal(again.body.status, 'active', 'its end was no withdrawal')
})

t.test('a deleted incident ends its subscriptions, whatever their number', async (t) => {
  const { followed, listed, runJob, incident, request } = await scene()
  await followed(anyone())
  const [row] = await listed()
  await kit.database.batchSql`
    INSERT INTO subscribers SELECT copies.*
    FROM subscribers s, generate_series(1, 1200) n, jsonb_populate_record(s, jsonb_build_object(
      'id', gen_random_uuid(), 'address_digest', n, 'manage_token_digest', s.id || '-' || n)) copies
    WHERE s.id = ${row.id}`
  await request(incidentOperations.remove, { params: { id: incident.id } })
  await runJob()
  t.same(await listed(), [])
})

t.test('an export names the incident, and an import skips the row', async (t) => {
  const { followed, request, listed, incident } = await scene()
  await followed(anyone())
  const { body: csv } = await request(subscribers.list, { query: { format: 'csv' } as never })
  t.match(String(csv), incident.id)
  const [row] = await listed()
  await request(subscribers.remove, { params: { id: row.id } })
  const form = new FormData()
  form.set('file', new File([String(csv)], 'subscribers.csv', { type: 'text/csv' }))
  const packed = new Response(form)
  const { body } = await request(subscribers.import, {
    headers: { 'content-type': packed.headers.get('content-type') ?? '' },
    body: Buffer.from(await packed.arrayBuffer()) as never,
  })
  t.match(body, { imported: 0, skipped: 1, failed: 0 })
  t.same(await listed(), [])
})

t.test('the erasure of an address includes the incidents that it follows', async (t) => {
  const { followed, request, listed } = await scene()
  const address = anyone()
  await followed(address)
  const { body } = await request(subscriberErasureOperations.erase, { body: { email: address } })
  t.match(body, { success: true, subscribers: 1 })
  t.same(await listed(), [])
})
