/** Sample data: loaded once, complete and silent; removed without a trace and nothing else. */
import {
  componentOperations,
  incidentOperations,
  incidentTemplateOperations,
  maintenanceOperations,
  type Operation,
  type Permission,
  postmortemOperations,
  type Reply,
  sampleDataOperations,
  statusPageOperations,
} from '@status-page/contracts'
import { type InjectOptions, testCaller } from '@status-page/testing'
import t from 'tap'
import { coreKit } from '../../core.fixture.ts'

const kit = await coreKit(t)

const as = (caller = testCaller()) => {
  const organization = kit.as(caller)
  return {
    ...organization,
    async call<Op extends Operation>(
      operation: Op,
      options: Omit<InjectOptions, 'caller'> = {},
    ): Promise<Reply<Op>> {
      const { status, body } = await organization.request(operation, options)
      if (status >= 300) throw new Error(JSON.stringify(body))
      return body
    },
  }
}
type One = ReturnType<typeof as>

const none = { loadedAt: null, statusPage: null, componentCount: 0 }

const lists = [
  componentOperations.list,
  incidentOperations.list,
  maintenanceOperations.list,
  incidentTemplateOperations.list,
  statusPageOperations.list,
]

const totals = async ({ call }: One) => {
  const replies = await Promise.all(lists.map((list) => call(list)))
  return replies.map(({ meta }) => meta.total)
}

t.test('sample data are loaded once, without a notification', async (t) => {
  const organization = as()
  t.same(await organization.call(sampleDataOperations.read), none)
  const loaded = await organization.call(sampleDataOperations.load)
  t.match(loaded, {
    loadedAt: String,
    statusPage: { name: 'Sample page' },
    componentCount: 10,
  })
  t.same(await organization.call(sampleDataOperations.read), loaded)
  t.same(await totals(organization), [10, 5, 2, 2, 1])
  const { data: components } = await organization.call(componentOperations.list)
  t.equal(components.find(({ name }) => name === 'Webhooks')?.status, 'degraded_performance')
  t.equal(components.find(({ name }) => name === 'Login')?.status, 'operational')
  const { data: incidents } = await organization.call(incidentOperations.list)
  t.same(
    incidents.filter(({ status }) => status !== 'resolved').map(({ title }) => title),
    ['Webhooks are delayed'],
  )
  const login = incidents.find(({ title }) => title === 'Errors when logging in')
  const review = await organization.call(postmortemOperations.read, {
    params: { id: login?.id ?? '' },
  })
  t.match(review.summary, 'certificate')
  const { data: maintenances } = await organization.call(maintenanceOperations.list)
  for (const maintenance of maintenances) {
    t.match(maintenance, { notifySubscribers: false, autoStart: false, remindBeforeMinutes: [] })
  }
  const { data: pages } = await organization.call(statusPageOperations.list)
  t.match(pages[0], { isPublished: true, visibility: 'members', allowIndexing: false })
  const { events } = await kit.outbox(organization.organizationId)
  const kinds = events.map(({ kind }) => kind)
  t.same([...new Set(kinds)].sort(), ['component.created', 'status-page.created'])
  t.equal((await organization.request(sampleDataOperations.load)).status, 409)
})

t.test('removal deletes the sample data and nothing else', async (t) => {
  const organization = as()
  const own = await organization.call(componentOperations.create, {
    body: { type: 'SERVICE', name: 'Own' },
  })
  await organization.call(incidentOperations.create, { body: { title: 'Own incident' } })
  t.equal((await organization.request(sampleDataOperations.remove)).status, 404)
  const before = await totals(organization)
  await organization.call(sampleDataOperations.load)
  const { data: components } = await organization.call(componentOperations.list)
  const group = components.find(({ name }) => name === 'Website')
  const deleted = components.find(({ name }) => name === 'E-mail')
  await organization.call(componentOperations.remove, { params: { id: deleted?.id ?? '' } })
  const move = (parentComponentId: string | null) =>
    organization.call(componentOperations.update, {
      params: { id: own.id },
      body: { parentComponentId },
    })
  await move(group?.id ?? '')
  const refused = await organization.request(sampleDataOperations.remove)
  t.equal(refused.status, 409)
  t.match(refused.body, { error: { message: /The component Own is below/ } })
  await move(null)
  const { data: maintenances } = await organization.call(maintenanceOperations.list)
  const planned = maintenances.find(({ status }) => status === 'scheduled')
  await organization.call(maintenanceOperations.update, {
    params: { id: planned?.id ?? '' },
    body: { recurrence: { rrule: 'FREQ=WEEKLY' }, status: 'in_progress' },
  })
  await organization.call(sampleDataOperations.remove)
  t.same(await totals(organization), before)
  t.match(await organization.call(componentOperations.read, { params: { id: own.id } }), {
    name: 'Own',
  })
  t.same(await organization.call(sampleDataOperations.read), none)
  await organization.call(sampleDataOperations.load)
  t.same(await totals(organization), [11, 6, 2, 2, 1], 'it can be loaded again')
})

t.test('a load needs the permission for every kind of resource', async (t) => {
  const permissions: Permission[] = ['config:write', 'status-pages:write', 'components:write']
  const organization = as(testCaller({ permissions }))
  const refused = await organization.request(sampleDataOperations.load)
  t.equal(refused.status, 403)
  t.match(refused.body, { error: { details: { permission: 'incidents:write' } } })
})
