/** Effect of a maintenance on the status of its components, and the pages that show it. */
import {
  componentOperations,
  incidentOperations,
  maintenanceOperations as on,
  pageOperations,
  publicOperations,
  statusPageOperations,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import t from 'tap'
import { BASE_URL, coreKit } from '../core.fixture.ts'
import { DAY, HOUR, MINUTE, organizationOn } from './maintenances.fixture.ts'

const kit = await coreKit(t)

t.test(
  'an incident takes precedence, a manual status applies at once, and the end removes the claim',
  async (t) => {
    const { component, schedule, patch, status, request, pass } = organizationOn(kit)
    const [a, b, c] = [await component('A'), await component('B'), await component('C')]
    const { id } = await schedule(HOUR, 2 * HOUR, { componentIds: [a, b] })
    t.equal(await status(a), 'operational manual')
    await pass(HOUR)
    t.equal(await status(a), 'under_maintenance maintenance')
    await patch(id, { componentIds: [a, c] })
    t.same(
      [await status(b), await status(c)],
      ['operational manual', 'under_maintenance maintenance'],
    )
    await patch(id, { setUnderMaintenance: false })
    t.equal(await status(a), 'operational manual')
    await patch(id, { setUnderMaintenance: true })
    const opened = await request(incidentOperations.create, {
      body: { title: 'API', componentStatuses: { [a]: 'major_outage' } },
    })
    t.equal(await status(a), 'major_outage incident')
    const params = { id: opened.body.id }
    await request(incidentOperations.addUpdate, { params, body: { status: 'resolved' } })
    t.equal(await status(a), 'under_maintenance maintenance')
    await request(componentOperations.update, {
      params: { id: a },
      body: { status: 'partial_outage' },
    })
    t.equal(await status(a), 'partial_outage manual')
    await patch(id, { status: 'completed' })
    t.same([await status(a), await status(c)], ['partial_outage manual', 'operational manual'])
  },
)

t.test(
  'without restoreOnComplete the components stay under maintenance as a manual status',
  async (t) => {
    const { component, schedule, patch, status, request } = organizationOn(kit)
    const [a, b] = [await component('A'), await component('B')]
    const kept = await schedule(-MINUTE, HOUR, { componentIds: [a], restoreOnComplete: false })
    await patch(kept.id, { status: 'completed' })
    t.equal(await status(a), 'under_maintenance manual')
    const cancelled = await schedule(-MINUTE, HOUR, { componentIds: [b], restoreOnComplete: false })
    await request(on.remove, { params: { id: cancelled.id } })
    t.equal(await status(b), 'operational manual')
  },
)

t.test(
  'the URL is on the oldest published page that shows it; its components are the current ones',
  async (t) => {
    const { component, schedule, request, reading } = organizationOn(kit)
    const [a, b] = [await component('A'), await component('B')]
    const { id } = await schedule(HOUR, 2 * HOUR, { componentIds: [a, b] })
    const slug = `s-${newId().slice(-12)}`
    await request(statusPageOperations.create, {
      body: { name: 'Acme', slug, isPublished: true, components: [{ componentId: a }] },
    })
    t.equal((await reading(id)).url, `${BASE_URL}/status/${slug}/maintenances/${id}`)
    await request(componentOperations.update, { params: { id: a }, body: { name: 'Renamed' } })
    await request(componentOperations.update, {
      params: { id: b },
      body: { name: 'Last', status: 'partial_outage' },
    })
    await request(componentOperations.remove, { params: { id: b } })
    t.match((await reading(id)).components, [
      { id: a, name: 'Renamed' },
      { id: b, name: 'Last', status: 'partial_outage' },
    ])
  },
)

t.test('an open maintenance whose components are all deleted stays on its pages', async (t) => {
  const { request, component, schedule, patch, emitted, pass } = organizationOn(kit)
  const [shown, hidden] = [await component('API'), await component('Internal')]
  const [slug, other] = [`page-${newId()}`, `other-${newId()}`]
  const published = { name: 'Status', isPublished: true }
  for (const [path, componentId] of [
    [slug, shown],
    [other, hidden],
  ] as const) {
    const body = { ...published, slug: path, components: [{ componentId }] }
    t.equal((await request(statusPageOperations.create, { body })).status, 201)
  }
  const active = await schedule(-MINUTE, HOUR, { componentIds: [shown] })
  const upcoming = await schedule(HOUR, 2 * HOUR, { componentIds: [shown] })
  await request(componentOperations.remove, { params: { id: shown } })
  const { body: page } = await request(publicOperations.status, { params: { slug } })
  t.match(page.maintenances.active, [{ id: active.id, components: [] }])
  t.match(page.maintenances.upcoming, [{ id: upcoming.id, components: [] }])
  const lists = async (at: string) =>
    (await request(publicOperations.maintenances, { params: { slug: at } })).body.data.length
  t.equal(await lists(slug), 2)
  t.equal(await lists(other), 0, 'not on a page that did not show it')
  const read = async (at: string) => {
    const params = { slug: at, id: upcoming.id }
    return (await request(pageOperations.maintenance, { params })).status
  }
  t.same([await read(slug), await read(other)], [200, 404])
  const calendar = await request(publicOperations.calendar, { params: { slug } })
  t.match(calendar.body, upcoming.id)
  await emitted()
  await patch(active.id, { title: 'Longer than planned' })
  await patch(active.id, { status: 'completed' })
  const { events } = await emitted()
  t.equal(events.at(-1)?.data.maintenance.statusPageIds.length, 1, 'announced on the same page')
  await pass(HOUR)
  t.equal(await lists(slug), 2, 'and both remain in the history')
})

t.test('later occurrences of a series whose components are deleted are on its pages', async (t) => {
  const { request, component, schedule, pass } = organizationOn(kit)
  const [id, slug] = [await component('API'), `page-${newId()}`]
  const body = { name: 'Status', slug, isPublished: true, components: [{ componentId: id }] }
  t.equal((await request(statusPageOperations.create, { body })).status, 201)
  await schedule(HOUR, 2 * HOUR, {
    componentIds: [id],
    recurrence: { rrule: 'FREQ=WEEKLY;COUNT=3' },
    remindBeforeMinutes: [],
  })
  await pass(3 * HOUR)
  const statuses = async () => {
    const { body } = await request(publicOperations.maintenances, { params: { slug } })
    return body.data.map(({ status }: { status: string }) => status).toSorted()
  }
  t.same(await statuses(), ['completed', 'scheduled'])
  await request(componentOperations.remove, { params: { id } })
  await pass(7 * DAY)
  t.same(await statuses(), ['completed', 'completed', 'scheduled'])
})
