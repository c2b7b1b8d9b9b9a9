/**
 * Incidents whose components are deleted or disabled do not stay open without a way to resolve
 * them.
 */
import {
  componentBatchOperations,
  componentOperations,
  draftEvent,
  monitorDown,
  monitorRecovered,
  incidentOperations as on,
  publicOperations,
  statusPageOperations,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import t from 'tap'
import { coreKit } from '../../core.fixture.ts'
import { organizationOn } from '../incidents.fixture.ts'

const kit = await coreKit(t)

const ENDPOINT = {
  type: 'ENDPOINT',
  url: 'https://93.184.215.14/',
  autoCreateIncident: true,
}

/** Creates an organization with a page that shows everything, and monitor events by version. */
const setup = async () => {
  const one = organizationOn(kit)
  const { request } = one
  const slug = `page-${newId()}`
  const pageBody = { name: 'Status', slug, isPublished: true }
  await request(statusPageOperations.create, { body: pageBody })
  const checked = (name: string, more: object = {}) => one.component(name, { ...ENDPOINT, ...more })
  const fact = (componentId: string, isUp: boolean, version: number) => {
    const derivedStatus = isUp ? ('operational' as const) : ('major_outage' as const)
    const since = new Date(Date.now() + kit.clock.offsetMs()).toISOString()
    const monitor = { componentId, name: 'x', derivedStatus, since, reason: null }
    const kind = isUp ? monitorRecovered : monitorDown
    const event = draftEvent(kind as typeof monitorDown, { id: componentId, version }, { monitor })
    return kit.publishAndHandle('monitor', one.organizationId, event)
  }
  const incidents = async () =>
    (await request(on.list, { query: { include: 'updates', sortOrder: 'asc' } as never })).body.data
  const remove = (id: string) => request(componentOperations.remove, { params: { id } })
  const change = (id: string, body: object) =>
    request(componentOperations.update, { params: { id }, body })
  const page = async () => (await request(publicOperations.status, { params: { slug } })).body
  return { ...one, slug, checked, fact, incidents, remove, change, page }
}

type Setup = Awaited<ReturnType<typeof setup>>

const endings: [name: string, message: RegExp, (one: Setup, id: string) => Promise<unknown>][] = [
  ['deleting', /the component was deleted/, (one, id) => one.remove(id)],
  ['disabling', /the component was disabled/, (one, id) => one.change(id, { isEnabled: false })],
  [
    'disabling in bulk',
    /the component was disabled/,
    ({ request }, id) =>
      request(componentOperations.bulk, { body: { updates: [{ id, isEnabled: false }] } }),
  ],
  [
    'a document without',
    /the component was deleted/,
    ({ request }, id) =>
      request(componentBatchOperations.apply, {
        body: {
          id: newId(),
          mode: 'apply',
          create: [],
          update: [],
          remove: [{ id, version: 1 }],
        },
      }),
  ],
  [
    'a document that disables',
    /the component was disabled/,
    ({ request }, id) =>
      request(componentBatchOperations.apply, {
        body: {
          id: newId(),
          mode: 'apply',
          create: [],
          remove: [],
          update: [{ id, version: 1, patch: { isEnabled: false } }],
        },
      }),
  ],
]

for (const [name, message, end] of endings) {
  t.test(`${name} the failing component ends its automatic incident with a note`, async (t) => {
    const one = await setup()
    const id = await one.checked('API')
    await one.fact(id, false, 1)
    await one.emitted()
    await end(one, id)
    const [incident] = await one.incidents()
    t.match(incident, { status: 'resolved', autoResolved: true })
    t.match(incident.updates[0], { status: 'resolved', message, componentStatuses: {} })
    const { events, audit } = await one.emitted()
    t.match(events, [{ kind: 'incident.resolved', data: { incident: { components: [{ id }] } } }])
    t.equal(events[0]?.data.incident.statusPageIds.length, 1, 'the page that showed it')
    t.ok(audit.includes('incident.update'))
    await one.fact(id, true, 2)
    t.equal((await one.incidents()).length, 1)
  })
}

t.test(
  'a component that still fails keeps the incident open, and so does an update by a user',
  async (t) => {
    const one = await setup()
    const parent = await one.checked('P')
    const child = await one.checked('C', { parentComponentId: parent })
    await one.fact(parent, false, 1)
    await one.fact(child, false, 1)
    await one.remove(child)
    t.match(await one.incidents(), [{ status: 'investigating' }])
    t.match((await one.incidents())[0].updates[0], {
      message: 'Automatic checks of C have ended: the component was deleted.',
    })
    await one.fact(parent, true, 2)
    t.match(await one.incidents(), [{ status: 'resolved' }])

    const other = await one.checked('O')
    kit.clock.advance(3_600_000)
    await one.fact(other, false, 1)
    const [, open] = await one.incidents()
    await one.request(on.addUpdate, { params: { id: open.id }, body: { message: 'We look.' } })
    await one.change(other, { isEnabled: false })
    const [, after] = await one.incidents()
    t.match(after, { status: 'investigating', autoResolved: false })
    t.match(after.updates[0].message, 'was disabled')
  },
)

t.test('deleting a whole subtree ends one incident once', async (t) => {
  const one = await setup()
  const parent = await one.checked('P')
  const child = await one.checked('C', { parentComponentId: parent })
  await one.fact(parent, false, 1)
  await one.fact(child, false, 1)
  await one.emitted()
  await one.remove(parent)
  t.match(await one.incidents(), [{ status: 'resolved', version: 3 }])
  t.match((await one.emitted()).events, [{ kind: 'incident.resolved' }])
})

t.test('a check in progress when its component was disabled opens no incident', async (t) => {
  const one = await setup()
  const id = await one.checked('API')
  await one.change(id, { isEnabled: false })
  await one.fact(id, false, 1)
  t.same(await one.incidents(), [])
})

t.test('an open incident whose components are all deleted stays on its pages', async (t) => {
  const one = await setup()
  const { request, slug } = one
  const [shown, hidden] = [await one.component('API'), await one.component('Internal')]
  const other = `other-${newId()}`
  const body = { name: 'Other', slug: other, isPublished: true, components: [] as object[] }
  body.components = [{ componentId: hidden }]
  await request(statusPageOperations.create, { body })
  const incident = await one.open({ componentIds: [shown], impact: 'major' })
  await one.emitted()
  await one.remove(shown)
  const page = await one.page()
  t.match(page.activeIncidents, [{ id: incident.id, components: [] }])
  t.equal(page.status.indicator, 'major', 'the banner includes its impact')
  const lists = async (at: string) =>
    (await request(publicOperations.incidents, { params: { slug: at } })).body.data.length
  t.equal(await lists(slug), 1)
  t.equal(await lists(other), 0, 'not on a page that did not show it')
  const one404 = { params: { slug: other, id: incident.id } }
  t.equal((await request(publicOperations.incident, one404)).status, 404)
  t.equal(
    (await request(publicOperations.incident, { params: { slug, id: incident.id } })).status,
    200,
  )
  await request(on.update, { params: { id: incident.id }, body: { status: 'resolved' } })
  const { events } = await one.emitted()
  t.equal(events[0]?.data.incident.statusPageIds.length, 1, 'its resolution is on the same page')
  t.equal(await lists(slug), 1, 'and it remains in the history')
})

t.test('the banner is never operational while an incident is open', async (t) => {
  const one = await setup()
  const id = await one.component('API')
  t.equal((await one.page()).status.indicator, 'none')
  const incident = await one.open({ componentIds: [id], impact: 'critical' })
  t.equal((await one.page()).status.indicator, 'critical', 'its component is operational')
  await one.request(on.addUpdate, {
    params: { id: incident.id },
    body: { message: 'Slow.', componentStatuses: { [id]: 'degraded_performance' } },
  })
  t.equal((await one.page()).status.indicator, 'minor', 'its component determines the status')
  await one.request(on.update, { params: { id: incident.id }, body: { status: 'resolved' } })
  t.equal((await one.page()).status.indicator, 'none')
})
