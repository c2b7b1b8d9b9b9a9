/**
 * Incident drafts: proposed by alerts, visible to members only, published by a user or at a set
 * time.
 */
import {
  type AlertSignal,
  alertSignalReceived,
  componentOperations,
  draftEvent,
  incidentOperations,
  incidentDraftOperations as on,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { testCaller } from '@status-page/testing'
import t from 'tap'
import { coreKit } from '../../core.fixture.ts'

const kit = await coreKit(t)
const MINUTE_MS = 60_000

const stage = async () => {
  const member = kit.as()
  const { request, organizationId } = member
  const { body: api } = await request(componentOperations.create, {
    body: { type: 'SERVICE', name: 'API' },
  })
  const signal = (given: Partial<AlertSignal> = {}): AlertSignal => ({
    id: newId(),
    integrationId: newId(),
    integrationName: 'Metrics',
    status: 'firing',
    title: 'High latency',
    message: 'p99 is 3 s',
    impact: 'major',
    componentIds: [api.id],
    startsAt: new Date(Date.now() - MINUTE_MS).toISOString(),
    endsAt: null,
    publishAfterMinutes: null,
    labels: {},
    autoResolve: false,
    titleTemplate: '{{summary}}',
    messageTemplate: '',
    ...given,
  })
  const receive = (one: AlertSignal, version = one.status === 'firing' ? 1 : 2) =>
    kit.publishAndHandle(
      'integrations',
      organizationId,
      draftEvent(alertSignalReceived, { id: one.id, version }, { signal: one }),
    )
  const draft = async (id: string) => (await request(on.read, { params: { id } })).body
  const status = async () =>
    (await request(componentOperations.read, { params: { id: api.id } })).body.status
  const incidents = async () => (await request(incidentOperations.list)).body.data
  return { ...member, api, signal, receive, draft, status, incidents }
}

const publishDue = () =>
  kit.jobs.find(({ name }) => name === 'publish-drafts')?.run(new AbortController().signal)

t.test(
  'a draft is not public until a user publishes it, and emits its own event only',
  async (t) => {
    const { request, organizationId, api, signal, receive, draft, status, incidents } =
      await stage()
    const one = signal()
    await kit.outbox(organizationId)
    await receive(one)
    t.match(await draft(one.id), { status: 'waiting', title: 'High latency', publishAt: null })
    t.same(await incidents(), [])
    t.equal(await status(), 'operational')
    const stated = (await kit.outbox(organizationId)).events
    t.same(
      stated.map(({ kind }) => kind),
      ['incident-draft.created'],
    )
    t.match(stated[0]?.data.draft, {
      impact: 'major',
      publishAt: null,
      components: [{ id: api.id, name: 'API', isMuted: false }],
    })

    const params = { id: one.id }
    const published = await request(on.publish, { params, body: { title: 'Slow answers' } })
    t.match(published, {
      status: 200,
      body: { title: 'Slow answers', status: 'investigating', impact: 'major', source: 'manual' },
    })
    t.match(published.body.components, [{ id: api.id, status: 'partial_outage' }])
    const written = await kit.outbox(organizationId)
    t.same(
      written.events.map(({ kind }) => kind),
      ['incident.created', 'incident-draft.closed'],
    )
    t.same(written.audit, ['incident.create', 'incident_draft.update'])
    t.match(await draft(one.id), { status: 'published', incidentId: published.body.id })
    for (const again of [on.publish, on.veto]) {
      t.match(await request(again, { params, ...(again === on.publish ? { body: {} } : {}) }), {
        status: 409,
        body: { error: { details: { reason: 'invalid_state' } } },
      })
    }
    await receive({ ...one, status: 'resolved', endsAt: new Date().toISOString() })
    const after = await draft(one.id)
    t.match(after, { status: 'published', alertResolvedAt: String })
    t.match(after.notes.at(-1), { text: /must be resolved manually/ })
    t.match(await incidents(), [{ status: 'investigating' }], 'it must be resolved by a user')
  },
)

t.test('a draft with automatic publication emits an event with the time before', async (t) => {
  const { organizationId, signal, receive, draft } = await stage()
  await kit.outbox(organizationId)
  const one = signal({ publishAfterMinutes: 5 })
  await receive(one)
  const stated = (await kit.outbox(organizationId)).events
  t.same(
    stated.map(({ kind }) => kind),
    ['incident-draft.created', 'incident-draft.publishing'],
  )
  t.equal(stated[1]?.data.draft.publishAt, (await draft(one.id)).publishAt)
})

t.test('a due draft that was not vetoed is published once', async (t) => {
  const { request, signal, receive, draft, incidents, status } = await stage()
  const [one, vetoed, ended] = [1, 2, 3].map(() => signal({ publishAfterMinutes: 5 })) as [
    AlertSignal,
    AlertSignal,
    AlertSignal,
  ]
  for (const each of [one, vetoed, ended]) await receive(each)
  await receive(one, 2)
  t.match(await request(on.veto, { params: { id: vetoed.id } }), {
    body: { status: 'vetoed', publishAt: null },
  })
  await receive({ ...ended, status: 'resolved' })
  t.match(await draft(ended.id), { status: 'closed' })
  await publishDue()
  t.same(await incidents(), [], 'not before its time')
  kit.clock.advance(6 * MINUTE_MS)
  await publishDue()
  await publishDue()
  t.match(await incidents(), [{ title: 'High latency', source: 'api' }])
  t.equal((await incidents()).length, 1)
  t.equal(await status(), 'partial_outage')
  t.match(await draft(one.id), { status: 'published', publishAt: null })
  t.equal((await request(on.list, { query: { status: 'vetoed' } })).body.meta.total, 1)
})

t.test('an alert group is one draft, which is updated while it waits', async (t) => {
  const { request, signal, receive, draft, api } = await stage()
  const { body: db } = await request(componentOperations.create, {
    body: { type: 'SERVICE', name: 'DB' },
  })
  const one = signal({ titleTemplate: 'Problem with {{components}}', impact: 'minor' })
  await receive(one)
  t.match(await draft(one.id), { title: 'Problem with API', impact: 'minor' })
  const grown = { ...one, componentIds: [api.id, db.id], impact: 'critical' as const }
  await receive(grown, 2)
  t.match(await draft(one.id), {
    title: 'Problem with API, DB',
    impact: 'critical',
    componentIds: [api.id, db.id],
  })
  const { body } = await request(on.list)
  t.equal(body.meta.total, 1)
  await request(on.publish, { params: { id: one.id }, body: {} })
  await receive({ ...grown, componentIds: [db.id] }, 3)
  t.match(await draft(one.id), { status: 'published', componentIds: [api.id, db.id] })
})

t.test(
  'the public text comes from the templates, the text of the alert is for members',
  async (t) => {
    const { request, signal, receive, draft, incidents } = await stage()
    const secret = 'db-primary-7.internal is down'
    const one = signal({
      title: secret,
      message: secret,
      publishAfterMinutes: 1,
      titleTemplate: '{{labels.product}}: problem with {{components}}',
      messageTemplate: 'We are looking into it.',
      labels: { product: 'Shop {{summary}}' },
    })
    await receive(one)
    kit.clock.advance(2 * MINUTE_MS)
    await publishDue()
    t.match(await incidents(), [
      { title: 'Shop {{summary}}: problem with API', message: 'We are looking into it.' },
    ])
    t.notMatch(JSON.stringify(await incidents()), secret)
    t.match((await draft(one.id)).notes[0], { text: new RegExp(secret) })
    const empty = signal({ titleTemplate: '{{labels.product}}' })
    await receive(empty)
    t.match((await request(on.read, { params: { id: empty.id } })).body, {
      title: 'Problem with API',
    })
  },
)

t.test(
  'ending alerts resolve the incident they published, if the integration is set to',
  async (t) => {
    const { request, organizationId, signal, receive, draft, incidents, status } = await stage()
    const end = (one: AlertSignal) =>
      receive({ ...one, status: 'resolved', endsAt: new Date().toISOString() })
    const one = signal({ publishAfterMinutes: 1, autoResolve: true })
    await receive(one)
    kit.clock.advance(2 * MINUTE_MS)
    await publishDue()
    t.equal(await status(), 'partial_outage')
    await kit.outbox(organizationId)
    await end(one)
    t.match(await incidents(), [{ status: 'resolved', autoResolved: true }])
    t.equal(await status(), 'operational')
    t.same(
      (await kit.outbox(organizationId)).events.map(({ kind }) => kind),
      ['incident.resolved'],
    )
    t.match((await draft(one.id)).notes.at(-1), { text: /the incident have been resolved/ })

    const other = signal({ autoResolve: true })
    await receive(other)
    const { body: incident } = await request(on.publish, { params: { id: other.id }, body: {} })
    await request(incidentOperations.update, {
      params: { id: incident.id },
      body: { message: 'A person has taken over', status: 'identified' },
    })
    await end(other)
    t.match(await incidents(), [{ id: incident.id, status: 'identified' }, { status: 'resolved' }])
    t.match((await draft(other.id)).notes.at(-1), { text: /must be resolved manually/ })
  },
)

t.test('a draft covers only its own components', async (t) => {
  const { request, api, signal, receive, draft, incidents } = await stage()
  const foreign = signal({ componentIds: [newId()] })
  await receive(foreign)
  t.equal((await request(on.read, { params: { id: foreign.id } })).status, 404)
  const [byHand, byClock] = [signal(), signal({ publishAfterMinutes: 1 })]
  await receive(byHand)
  await receive(byClock)
  await request(componentOperations.remove, { params: { id: api.id } })
  t.equal((await request(on.publish, { params: { id: byHand.id }, body: {} })).status, 409)
  kit.clock.advance(2 * MINUTE_MS)
  await publishDue()
  t.match(await draft(byClock.id), { status: 'closed' })
  t.same(await incidents(), [])
})

t.test('drafts are visible to members who may read incidents, in their organization', async (t) => {
  const { signal, receive, organizationId } = await stage()
  const one = signal()
  await receive(one)
  const params = { id: one.id }
  t.equal((await kit.as().request(on.read, { params })).status, 404)
  const viewer = kit.as(testCaller({ organizationId, role: 'VIEWER' }))
  t.equal((await viewer.request(on.read, { params })).status, 200)
  t.equal((await viewer.request(on.publish, { params, body: {} })).status, 403)
  t.equal((await viewer.request(on.veto, { params })).status, 403)
  const deletion = kit.jobs.find(({ name }) => name === 'delete-old-drafts')
  kit.clock.advance(91 * 24 * 60 * MINUTE_MS)
  await deletion?.run(new AbortController().signal)
  t.equal((await viewer.request(on.read, { params })).status, 404, 'deleted after 90 days')
})
