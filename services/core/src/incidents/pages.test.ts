/** Events name, for each page, the components that it shows; links prefer public pages. */
import {
  componentOperations,
  eventDataOnPage,
  type IncidentEventData,
  incidentOperations,
  type MaintenanceEventData,
  maintenanceOperations,
  statusPageOperations,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import t from 'tap'
import { BASE_URL, coreKit } from '../core.fixture.ts'
import { organizationOn } from './incidents.fixture.ts'

const kit = await coreKit(t)

const scene = async () => {
  const organization = organizationOn(kit)
  const slug = `s-${newId().slice(-12)}`
  const page = async (name: string, more: object) => {
    kit.clock.advance(10)
    const body = { name, slug: `${slug}-${name}`, isPublished: true, ...more }
    return (await organization.request(statusPageOperations.create, { body })).body.id as string
  }
  const urlOf = (name: string, id: string, noun = 'incidents') =>
    `${BASE_URL}/status/${slug}-${name}/${noun}/${id}`
  return { ...organization, page, urlOf }
}

const namesOn = (fact: IncidentEventData | MaintenanceEventData, pageId: string) =>
  eventDataOnPage(fact, pageId).components.map(({ name }) => name)

t.test(
  'an event lists the affected components per page, under the names of that page',
  async (t) => {
    const { component, page, open, emitted, urlOf } = await scene()
    const [internal, web] = [await component('internal-name'), await component('web-7')]
    const group = await component('group')
    const child = await component('child', { parentComponentId: group })
    const staff = await page('staff', { visibility: 'members' })
    const site = await page('site', {
      components: [
        { componentId: web, displayName: 'Website' },
        { componentId: group, displayName: 'Group' },
      ],
    })
    const bare = await page('bare', { components: [{ componentId: group, showChildren: false }] })
    const { id, url } = await open({ componentIds: [internal, web, child] })
    const { events } = await emitted()
    const incident: IncidentEventData = events[0]?.data.incident
    t.same(namesOn(incident, staff), ['internal-name', 'web-7', 'child'])
    t.same(namesOn(incident, site), ['Website', 'child'])
    t.same(namesOn(incident, bare), [])
    t.same(incident.statusPageIds, [staff, site])
    t.equal(url, urlOf('site', id), 'the older page is for members only')
    t.equal(incident.url, url)
    t.equal(eventDataOnPage(incident, staff).url, urlOf('staff', id))
  },
)

t.test('without a public page the link leads to the oldest published one', async (t) => {
  const { component, page, open, urlOf } = await scene()
  await page('staff', { visibility: 'members' })
  await page('secret', { visibility: 'password', password: 'long enough' })
  const { id, url } = await open({ componentIds: [await component('a')] })
  t.equal(url, urlOf('staff', id))
})

t.test(
  'a maintenance lists the affected components per page, under the names of that page',
  async (t) => {
    const { request, organizationId, component, page, urlOf } = await scene()
    const [internal, web] = [await component('internal-name'), await component('web-7')]
    await page('staff', { visibility: 'ip_allowlist', allowedIpRanges: ['10.0.0.0/8'] })
    const site = await page('site', { components: [{ componentId: web, displayName: 'Website' }] })
    await kit.outbox(organizationId)
    const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
    const { body } = await request(maintenanceOperations.create, {
      body: {
        title: 'DB upgrade',
        componentIds: [internal, web],
        scheduledFor: at(24),
        scheduledUntil: at(25),
      },
    })
    const { events } = await kit.outbox(organizationId)
    const planned = events.find(({ kind }) => kind === 'maintenance.scheduled')
    const maintenance: MaintenanceEventData = planned?.data.maintenance
    t.same(namesOn(maintenance, site), ['Website'])
    t.equal(maintenance.url, urlOf('site', body.id, 'maintenances'))
    t.equal(body.url, maintenance.url)
  },
)

t.test('a disabled component is named on no page', async (t) => {
  const { request, component, page, open, emitted } = await scene()
  const [a, b] = [await component('a'), await component('b')]
  const all = await page('all', {})
  await request(componentOperations.update, { params: { id: b }, body: { isEnabled: false } })
  const { id } = await open({ componentIds: [a, b] })
  await request(incidentOperations.addUpdate, { params: { id }, body: { message: 'x' } })
  for (const { data } of (await emitted()).events) t.same(namesOn(data.incident, all), ['a'])
})
