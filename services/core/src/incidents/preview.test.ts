/** Preview of an incident's recipients before it is published. The notifier is scripted. */
import {
  AppError,
  audienceOperations,
  channelTypes,
  componentOperations,
  type IncidentEventData,
  incidentOperations,
  incidentPreviewOperations,
  statusPageOperations,
} from '@status-page/contracts'
import { testCaller } from '@status-page/testing'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'

const kit = await coreKit(t)
const { previewAudience } = incidentPreviewOperations

const counts = { sent: 1, muted: 0, unconfirmed: 0, quarantined: 0, disabled: 0, unsubscribed: 0 }
const response = {
  event: 'incident.created',
  statusPageIds: [],
  sent: 1,
  deferred: 0,
  waiting: 0,
  estimatedSeconds: 0,
  subscribers: { email: counts, sms: counts, webhook: counts },
  channels: Object.fromEntries(channelTypes.map((type) => [type, counts])),
}

t.test('the notifier receives the event that opening the incident would publish', async (t) => {
  const { request, organizationId } = kit.as()
  const create = async (body: object) =>
    (await request(componentOperations.create, { body: { type: 'SERVICE', ...body } })).body
  const parent = await create({ name: 'Web' })
  const child = await create({ name: 'API', parentComponentId: parent.id, isMuted: true })
  const page = await request(statusPageOperations.create, {
    body: { name: 'Acme', slug: 'preview-acme', isPublished: true },
  })
  await kit.outbox(organizationId as string)
  const asked: IncidentEventData[] = []
  kit.scriptMonitor((operation, question) => {
    t.equal(operation.id, audienceOperations.preview.id)
    asked.push((question as { body: { incident: IncidentEventData } }).body.incident)
    return response
  })
  const body = {
    title: 'API errors',
    impact: 'major',
    message: 'We are on it.',
    componentIds: [child.id],
    componentStatuses: { [child.id]: 'major_outage' },
  }
  const seen = await request(previewAudience, { body })
  t.match(seen, { status: 200, body: response })
  const nothing = { events: [], audit: [] }
  t.same(await kit.outbox(organizationId as string), nothing, 'nothing is stored or published')
  t.equal((await request(incidentOperations.list)).body.meta.total, 0)
  const shown = await request(componentOperations.read, { params: { id: child.id } })
  t.equal(shown.body.status, 'operational')

  await request(incidentOperations.create, { body })
  const { events } = await kit.outbox(organizationId as string)
  const emitted = events.find(({ kind }) => kind === 'incident.created')?.data.incident
  t.same(emitted.statusPageIds, [page.body.id])
  const {
    id: _imagined,
    startedAt: _then,
    url: _link,
    components,
    pages,
    ...rest
  } = asked[0] as IncidentEventData
  t.match(emitted, rest)
  // The link of an incident contains its id.
  t.match(
    emitted.pages,
    pages?.map(({ url: _link, ...one }) => one),
  )
  // The stored component has the status of the incident; the recipients do not depend on it.
  const placed = components.map(({ status: _status, ...one }) => one)
  t.match(emitted.components, placed)
  t.match(placed, [{ id: child.id, isMuted: true, ancestorIds: [parent.id] }])
})

t.test('a preview of an invalid incident is refused', async (t) => {
  const { request } = kit.as()
  kit.scriptMonitor(() => t.fail('not asked'))
  const foreign = await kit
    .as()
    .request(componentOperations.create, { body: { type: 'SERVICE', name: 'Theirs' } })
  const wrong = [
    {},
    { title: 'X', status: 'fine' },
    { title: 'X', componentIds: [foreign.body.id] },
    { title: 'X', startedAt: '2999-01-01T00:00:00.000Z' },
  ]
  for (const body of wrong) t.equal((await request(previewAudience, { body })).status, 400)
})

t.test(
  'the preview needs the permission to write incidents; without a notifier it is 503',
  async (t) => {
    const statusFor = async (permissions: string[]) => {
      const caller = testCaller({ permissions: permissions as never })
      return (await kit.request(previewAudience, { caller, body: { title: 'X' } })).status
    }
    kit.scriptMonitor(() => response)
    t.equal(await statusFor(['incidents:write']), 200)
    t.equal(await statusFor(['incidents:read']), 403)
    kit.scriptMonitor(() => {
      throw new AppError('SERVICE_UNAVAILABLE', 'notifier is not available')
    })
    t.equal(await statusFor(['incidents:write']), 503)
  },
)
