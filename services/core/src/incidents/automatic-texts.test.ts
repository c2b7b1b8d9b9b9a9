/**
 * Texts of automatic updates use the display names of each page, and name no component that it
 * hides.
 */
import {
  componentOperations,
  type DerivedStatus,
  draftEvent,
  eventDataOnPage,
  type IncidentEventData,
  incidentOperations,
  monitorDown,
  monitorRecovered,
  publicOperations,
  statusPageOperations,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'
import { organizationOn } from './incidents.fixture.ts'

const kit = await coreKit(t)
const INTERNAL = /customer-acme-db|web-7/
const WEB_7 = /web-7/

const scene = async () => {
  const one = organizationOn(kit)
  const checked = (name: string, more: object = {}) =>
    one.component(name, {
      type: 'ENDPOINT',
      url: 'https://93.184.215.14/',
      autoCreateIncident: true,
      ...more,
    })
  const parent = await checked('customer-acme-db')
  const child = await checked('web-7', { parentComponentId: parent })
  const page = async (components: object[]) => {
    const slug = `s-${newId().slice(-12)}`
    const body = { name: 'Acme', slug, isPublished: true, components }
    const { id } = (await one.request(statusPageOperations.create, { body })).body
    return { id: id as string, slug }
  }
  let version = 0
  const state = (componentId: string, derivedStatus: DerivedStatus) => {
    version++
    const since = new Date(Date.now() + kit.clock.offsetMs()).toISOString()
    const monitor = { componentId, name: 'x', derivedStatus, since, reason: null }
    const kind = derivedStatus === 'operational' ? monitorRecovered : monitorDown
    const event = draftEvent(kind as typeof monitorDown, { id: componentId, version }, { monitor })
    return kit.publishAndHandle('monitor', one.organizationId, event)
  }
  /** Everything that a visitor of the page can read about incidents. */
  const published = async (slug: string) => {
    const params = { slug }
    const feeds = ['rss', 'atom', 'json'].map((format) =>
      kit.request(publicOperations.feed, { params, query: { format } as never }),
    )
    const responses = await Promise.all([
      kit.request(publicOperations.status, { params }),
      kit.request(publicOperations.incidents, { params }),
      ...feeds,
    ])
    const html = await kit.http.inject({ url: `/status/${slug}`, headers: kit.anonymous })
    return [...responses.map(({ body }) => JSON.stringify(body)), html.body]
  }
  const facts = async () =>
    (await one.emitted()).events.map(({ data }) => data.incident as IncidentEventData)
  return { ...one, checked, parent, child, page, state, published, facts }
}

t.test('a page and its feeds use the display name of a failed component', async (t) => {
  const { parent, page, state, published, facts } = await scene()
  const { id, slug } = await page([
    { componentId: parent, displayName: 'Website', showChildren: false },
  ])
  await state(parent, 'major_outage')
  await state(parent, 'operational')
  for (const text of await published(slug)) t.notOk(INTERNAL.test(text))
  const [, incidents] = await published(slug)
  t.match(incidents, '"title":"Website is down"')
  t.match(incidents, /Automatic checks of Website have failed since [^"]+ UTC\./)
  t.match(incidents, /Automatic checks of Website have succeeded since [^"]+ UTC\./)
  const stated = await facts()
  t.equal(stated.length, 2)
  for (const fact of stated) {
    t.equal(eventDataOnPage(fact, id).title, 'Website is down')
    t.match(eventDataOnPage(fact, id).message, /^Automatic checks of Website have/)
    t.equal(eventDataOnPage(fact, newId()).title, 'A component is down')
    t.match(eventDataOnPage(fact, newId()).message, /^Automatic checks have/)
    t.equal(fact.title, 'customer-acme-db is down', 'the organization reads the internal name')
  }
})

t.test('a page that shows one of two failed components never names the other', async (t) => {
  const { child, parent, page, state, published, facts } = await scene()
  const { id, slug } = await page([{ componentId: parent, showChildren: false }])
  await state(child, 'major_outage')
  await state(parent, 'major_outage')
  for (const text of await published(slug)) t.notOk(WEB_7.test(text))
  const [, incidents] = await published(slug)
  t.match(incidents, '"title":"A component is down"')
  t.match(incidents, 'Automatic checks of customer-acme-db have failed')
  for (const fact of await facts()) {
    const { title, message } = eventDataOnPage(fact, id)
    t.notMatch(`${title} ${message}`, WEB_7)
  }
})

t.test('a renamed, then deleted component has its old name on no page', async (t) => {
  const { request, child, parent, page, state, published, facts } = await scene()
  const { id, slug } = await page([{ componentId: parent }, { componentId: child }])
  await state(child, 'major_outage')
  const params = { id: child }
  await request(componentOperations.update, { params, body: { name: 'Shop' } })
  t.match((await published(slug))[1], '"title":"Shop is down"')
  await request(componentOperations.remove, { params })
  for (const text of await published(slug)) t.notOk(WEB_7.test(text))
  for (const fact of (await facts()).slice(1)) {
    const { title, message } = eventDataOnPage(fact, id)
    t.notMatch(`${title} ${message}`, WEB_7)
  }
})

t.test('a page names those of several failed components that it shows', async (t) => {
  const { request, checked, page, state, published, facts } = await scene()
  const host = await checked('Host', { type: 'SERVICE', url: undefined, status: 'major_outage' })
  const ids: string[] = []
  for (const name of ['web-7', 'Shop', 'Search']) {
    ids.push(await checked(name, { dependsOn: [host] }))
  }
  const [web, shop, search] = ids
  const shown = (...all: (string | undefined)[]) =>
    page(
      all.map((componentId) => ({
        componentId,
        displayName: `Our ${ids.indexOf(componentId ?? '')}`,
      })),
    )
  const [three, two, one] = [
    await shown(web, shop, search),
    await shown(shop, search),
    await shown(shop),
  ]
  for (const id of ids) await state(id, 'major_outage')
  await kit.jobs.find(({ name }) => name === 'dependent-outages')?.run(new AbortController().signal)
  const fact = (await facts()).findLast(({ status }) => status === 'investigating')
  t.match(fact, { title: 'web-7 and 2 more are down' })
  const titles = [
    [three, 'Our 0 and 2 more are down'],
    [two, 'Our 1 and Our 2 are down'],
    [one, 'Our 1 is down'],
  ] as const
  for (const [{ id, slug }, title] of titles) {
    t.match((await published(slug))[1], `"title":"${title}"`)
    t.equal(fact && eventDataOnPage(fact, id).title, title)
  }
  const { body } = await request(incidentOperations.list)
  const params = { id: body.data[0].id }
  await request(incidentOperations.update, {
    params,
    body: { title: 'Shop and some more are down' },
  })
  t.match((await published(two.slug))[1], '"title":"Shop and some more are down"')
})

t.test('texts written by a user are unchanged', async (t) => {
  const { request, parent, page, state, published } = await scene()
  const { slug } = await page([
    { componentId: parent, displayName: 'Website', showChildren: false },
  ])
  await state(parent, 'major_outage')
  const { body } = await request(incidentOperations.list)
  const params = { id: body.data[0].id }
  const change = { title: 'Frankfurt is down', message: 'web-7 is being replaced.' }
  await request(incidentOperations.update, { params, body: change })
  const [, incidents] = await published(slug)
  t.match(incidents, '"title":"Frankfurt is down"')
  t.match(incidents, '"message":"web-7 is being replaced."')
})
