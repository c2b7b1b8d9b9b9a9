/** Public data of maintenances: on the page, in lists, in the feed and in the calendar. */
import {
  incidentOperations,
  maintenanceOperations,
  publicOperations as on,
  statusPageOperations,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import ICAL from 'ical.js'
import t from 'tap'
import { BASE_URL, coreKit } from '../../core.fixture.ts'
import { DAY, HOUR, MINUTE, organizationOn } from '../../maintenances/maintenances.fixture.ts'

const kit = await coreKit(t)

const published = async (more: object = {}) => {
  const one = organizationOn(kit)
  const slug = `s-${newId().slice(-12)}`
  const body = { name: 'Acme; & sons, "ours"', slug, isPublished: true, ...more }
  const { body: page } = await one.request(statusPageOperations.create, { body })
  const changePage = (patch: object) =>
    one.request(statusPageOperations.update, { params: { id: page.id }, body: patch })
  const look = async (operation: (typeof on)[keyof typeof on], query: object = {}) =>
    kit.request(operation, { params: { slug }, query: query as Record<string, unknown> })
  return { ...one, slug, page, changePage, look }
}

const ids = (items: { id: string }[]) => items.map(({ id }) => id)

t.test(
  'a page has active and upcoming maintenances, soonest first, and changes with them',
  async (t) => {
    const { component, schedule, look, changePage, patch, pass } = await published()
    const [a, b] = [await component('A'), await component('B')]
    await changePage({ components: [{ componentId: a, displayName: 'Front' }] })
    const late = await schedule(2 * DAY, 3 * DAY, { componentIds: [a] })
    const soon = await schedule(DAY, 2 * DAY, { message: 'For all.' })
    const active = await schedule(-MINUTE, HOUR, { componentIds: [a, b] })
    await schedule(DAY, 2 * DAY, { componentIds: [b] })
    await schedule(-HOUR, MINUTE, { autoStart: false, componentIds: [a] })
    kit.clock.advance(2 * MINUTE)
    const { body } = await look(on.status)
    t.same(ids(body.maintenances.active), [active.id])
    t.same(ids(body.maintenances.upcoming), [soon.id, late.id])
    t.same(body.status, { indicator: 'maintenance', description: 'Service Under Maintenance' })
    t.same(body.maintenances.active[0].components, [
      { id: a, name: 'Front', status: 'under_maintenance' },
    ])
    t.match(body.maintenances.upcoming[0], {
      title: 'DB upgrade',
      message: 'For all.',
      status: 'scheduled',
      startedAt: null,
      updates: [{ status: 'scheduled', message: 'For all.', createdAt: soon.createdAt }],
      url: `${BASE_URL}/status/${body.page.slug}/maintenances/${soon.id}`,
    })
    await pass(1000)
    const { body: changed } = await patch(soon.id, { title: 'Other' })
    t.equal((await look(on.status)).body.page.updatedAt, changed.updatedAt)
  },
)

t.test('they contain nothing of the organization except public data', async (t) => {
  const { component, schedule, look, changePage } = await published()
  const [a, hidden] = [await component('A'), await component('canary-hidden')]
  await changePage({ components: [{ componentId: a }] })
  await schedule(-MINUTE, HOUR, { componentIds: [a, hidden] })
  for (const operation of [on.status, on.maintenances, on.feed, on.calendar]) {
    const { status, body } = await look(operation)
    t.equal(status, 200)
    const text = JSON.stringify(body)
    t.notMatch(text, 'canary')
    t.notMatch(text, /organizationId|remind|recurrence|dueAt|lease|notifySubscribers/)
  }
})

t.test('the list is filtered, sorted and paged; an unpublished one is 404', async (t) => {
  const { schedule, look, patch, changePage } = await published()
  const soon = await schedule(DAY, 2 * DAY)
  const active = await schedule(-MINUTE, HOUR)
  const over = await schedule(-2 * MINUTE, HOUR)
  await patch(over.id, { status: 'completed' })
  const cases: [object, { id: string }[]][] = [
    [{}, [soon, active, over]],
    [{ sortOrder: 'asc' }, [over, active, soon]],
    [{ upcoming: true }, [soon]],
    [{ active: true }, [active]],
    [{ status: 'completed' }, [over]],
    [{ sortBy: 'createdAt', pageSize: 1, page: 2 }, [active]],
  ]
  for (const [query, expected] of cases) {
    const { body } = await look(on.maintenances, query)
    t.same(ids(body.data), ids(expected), JSON.stringify(query))
  }
  t.equal((await look(on.maintenances, { status: 'late' })).status, 400)
  t.equal((await look(on.maintenances, { sortBy: 'title' })).status, 400)
  await changePage({ isPublished: false })
  t.equal((await look(on.maintenances)).status, 404)
  t.equal((await look(on.calendar)).status, 404)
})

t.test('the feed holds incidents and maintenances of 90 days, newest first', async (t) => {
  const { schedule, request, look, pass } = await published()
  const old = await schedule(HOUR, 2 * HOUR)
  const far = await schedule(300 * DAY, 301 * DAY, { autoStart: false, remindBeforeMinutes: [] })
  await pass(91 * DAY)
  await pass(1)
  const { body: incident } = await request(incidentOperations.create, { body: { title: 'Fault' } })
  kit.clock.advance(10)
  const newest = await schedule(-MINUTE, HOUR, { message: 'Now.' })
  const feed = await look(on.feed, { format: 'json' })
  const items = (typeof feed.body === 'string' ? JSON.parse(feed.body) : feed.body).items
  t.same(
    ids(items),
    [newest.id, incident.id, far.id].map((id) => `urn:uuid:${id}`),
  )
  t.notMatch(JSON.stringify(items), old.id)
  t.match(items[0].title, /^In progress: /)
  t.match(items[0].content_text, /^Scheduled, .*\nNow\.$/)
})

t.test('another parser reads the calendar correctly', async (t) => {
  const { schedule, patch, look, request, page } = await published()
  const title = 'Comma, semicolon; back\\slash \u00e9\u{1f600}'
  const message = `First line.\nEND:VEVENT\u2028 ${'long '.repeat(60)}\t.`
  const soon = await schedule(HOUR, 2 * HOUR, { title, message })
  const gone = await schedule(DAY, 2 * DAY, { title: 'Gone' })
  const over = await schedule(-MINUTE, HOUR, { title: 'Over' })
  await patch(over.id, { status: 'completed' })
  await patch(soon.id, { autoComplete: false })
  await request(maintenanceOperations.remove, { params: { id: gone.id } })
  const { status, headers, body } = await look(on.calendar)
  t.equal(status, 200)
  t.match(headers['content-type'], /^text\/calendar; charset=utf-8/)
  t.notMatch(body.replaceAll('\r\n', ''), /[\r\n]/)
  const longest = Math.max(...body.split('\r\n').map((line: string) => Buffer.byteLength(line)))
  t.ok(longest <= 75)
  const calendar = new ICAL.Component(ICAL.parse(body))
  // The parser does not know NAME of RFC 7986, which is a TEXT value.
  const name = `${calendar.getFirstPropertyValue('name')}`
  t.equal(name.replaceAll(/\\([;,])/g, '$1'), page.name)
  const events = calendar.getAllSubcomponents('vevent').map((one) => new ICAL.Event(one))
  t.same(
    events.map(({ uid, sequence, summary }) => ({ uid, sequence, summary })),
    [
      { uid: soon.id, sequence: 2, summary: title },
      { uid: gone.id, sequence: 2, summary: 'Gone' },
    ],
  )
  const statuses = events.map(({ component }) => component.getFirstPropertyValue('status'))
  t.same(statuses, ['CONFIRMED', 'CANCELLED'])
  t.equal(events[0]?.description, message)
  const second = (time: string) => `${time.slice(0, 19)}Z`
  t.equal(events[0]?.startDate.toString(), second(soon.scheduledFor))
  t.equal(events[0]?.endDate.toString(), second(soon.scheduledUntil))
  t.equal(events[0]?.startDate.zone?.tzid, 'UTC')
})

t.test('an unchanged calendar is not sent again', async (t) => {
  const { schedule, slug, patch } = await published()
  const { id } = await schedule(HOUR, 2 * HOUR)
  const get = (etag = '') =>
    kit.request(on.calendar, { params: { slug }, headers: { 'if-none-match': etag } })
  const etag = (await get()).headers.etag as string
  kit.clock.advance(5000)
  t.equal((await get(etag)).status, 304)
  await patch(id, { title: 'Other' })
  t.equal((await get(etag)).status, 200)
})

t.test('a password-protected page hides its maintenances', async (t) => {
  const { schedule, look, component } = await published({
    visibility: 'password',
    password: 'correct horse battery',
  })
  await schedule(HOUR, 2 * HOUR, { componentIds: [await component('A')] })
  for (const operation of [on.maintenances, on.calendar]) {
    t.equal((await look(operation)).status, 401, operation.id)
  }
})
