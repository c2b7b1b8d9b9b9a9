/** Uptime page: components by month, and the incidents of each day, linked from the bars. */
import t from 'tap'
import { coreKit } from '../../core.fixture.ts'
import { publishedOn } from './pages.fixture.ts'

const kit = await coreKit(t)

const DAY_MS = 86_400_000

const withOutage = async (settings: object = {}) => {
  const page = await publishedOn(kit, settings)
  const api = await page.component('API')
  const incident = await page.open({
    title: 'API errors',
    impact: 'critical',
    message: 'We are on it.',
    componentStatuses: { [api]: 'major_outage' },
  })
  return { ...page, api, incident }
}

t.test('a day with downtime is linked from the bars and lists its incidents', async (t) => {
  const { get, slug, incident, postUpdate } = await withOutage()
  await postUpdate(incident.id, { status: 'resolved', message: 'Fixed.' })
  const link = /<a href="([^"]+)"><title>/.exec((await get('')).body)?.[1] ?? ''
  const today = new Date().toISOString().slice(0, 10)
  t.equal(link, `/status/${slug}/uptime?month=${today.slice(0, 7)}#d${today}`)
  const { statusCode, body } = await get(link.slice(`/status/${slug}`.length))
  t.equal(statusCode, 200)
  const day = body.slice(body.indexOf(`<section class="day" id="d${today}">`))
  t.match(day, '<bdi>API</bdi>: Major outage')
  t.match(day, `href="/status/${slug}/incidents/${incident.id}"`)
  const markdown = (await get('/uptime', { accept: 'text/markdown' })).body
  t.match(markdown, '- API: Major outage')
  t.match(markdown, `[API errors](https://status.test/status/${slug}/incidents/${incident.id})`)
})

t.test('the parts of a day name the components whose bars they explain', async (t) => {
  const { get, api, component, open, incident, change } = await withOutage()
  const part = await component('Search', { parentComponentId: api })
  const other = await component('Website')
  const withoutBars = await component('Status')
  await open({ title: 'Slow', componentStatuses: { [part]: 'degraded_performance' } })
  await open({ title: 'Office closed' })
  await open({ title: 'Late', componentStatuses: { [withoutBars]: 'degraded_performance' } })
  await change({
    components: [api, part, other, withoutBars].map((componentId) => ({
      componentId,
      showUptime: componentId !== withoutBars,
    })),
  })
  t.match((await get('')).body, `<svg class="bars" data-component="${other}"`)
  const { body } = await get('/uptime')
  const bars = body.matchAll(/<svg class="bars" data-component="([^"]*)"/g)
  const listed = [...bars].map(([, id]) => id)
  const ofIncident = (title: string) => {
    const [, attributes] =
      new RegExp(`<article class="past"([^>]*)>(?:(?!</article>).)*${title}`, 's').exec(body) ?? []
    const positions = / data-components="([^"]*)"/.exec(attributes ?? '')?.[1]
    return positions?.split(' ').map((position) => listed[Number(position)])
  }
  t.same(listed.toSorted(), [api, part, other].toSorted())
  t.same(ofIncident(incident.title), [api])
  t.same(ofIncident('Slow')?.toSorted(), [api, part].toSorted())
  t.equal(ofIncident('Office closed'), undefined, 'an incident of the whole page')
  t.match(body, /<article class="past" data-components="">(?:(?!<\/article>).)*Late/s)
  const lines = [...body.matchAll(/<li class="sm" data-components="(\d+)">/g)]
  const withDowntime = lines.map(([, position]) => listed[Number(position)])
  t.same(withDowntime.toSorted(), [api, part].toSorted())
})

t.test('an incident is listed on every day on which it was open', async (t) => {
  const { get } = await withOutage()
  kit.clock.advance(2 * DAY_MS)
  t.teardown(() => kit.clock.advance(-2 * DAY_MS))
  const now = Date.now() + 2 * DAY_MS
  const months = [0, 1, 2].map((days) => new Date(now - days * DAY_MS).toISOString().slice(0, 7))
  let listed = 0
  for (const month of new Set(months)) {
    listed += [...(await get(`/uptime?month=${month}`)).body.matchAll(/API errors/g)].length
  }
  t.equal(listed, 3)
})

t.test('a page without uptime and months to come have no uptime page', async (t) => {
  const { get } = await withOutage({ showUptimePercentage: false })
  t.equal((await get('/uptime')).statusCode, 404)
  t.notMatch((await get('')).body, '/uptime')
  const other = await withOutage()
  t.equal((await other.get('/uptime?month=2999-01')).statusCode, 404)
  t.equal((await other.get('/uptime?month=2026-13')).statusCode, 400)
  t.equal((await other.get('/uptime')).statusCode, 200)
})

t.test('components and incidents of other pages are not listed', async (t) => {
  const { get, component, change } = await withOutage()
  const hidden = await component('Internal')
  await change({ components: [{ componentId: hidden }] })
  const { body } = await get('/uptime')
  t.match(body, 'Internal')
  t.notMatch(body, 'API')
})
