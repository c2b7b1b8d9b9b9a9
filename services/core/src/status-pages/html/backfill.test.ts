/** Incidents entered after the fact, in every public output of a page. */
import t from 'tap'
import { coreKit } from '../../core.fixture.ts'
import { publishedOn } from './pages.fixture.ts'

const kit = await coreKit(t)
const DAY_MS = 86_400_000

/** Noon of this day, so that no outage of a few hours spans two days. */
const noon = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2

const ago = (days: number, hours = 0): string =>
  new Date(noon - days * DAY_MS - hours * 3_600_000).toISOString()

t.test('an incident of yesterday is in bars, uptime, history, feeds and v2', async (t) => {
  const page = await publishedOn(kit)
  const api = await page.component('API')
  const group = await page.component('Group')
  await page.component('Child', { parentComponentId: group })
  const [startedAt, resolvedAt] = [ago(1, 2), ago(1)]
  const statuses = { componentStatuses: { [api]: 'major_outage' }, status: 'resolved' }
  const over = await page.open({ title: 'Yesterday', startedAt, resolvedAt, ...statuses })
  const summary = (await page.data('')).json()
  const shown = summary.components.find(({ id }: { id: string }) => id === api)
  t.match(shown, { status: 'operational', uptimeSince: startedAt })
  const share = (2 * 3_600_000) / (Date.now() - Date.parse(startedAt))
  t.ok(Math.abs(shown.uptimePercentage - 100 * (1 - share)) < 0.1)
  const seconds = shown.uptimeDays.map((day: { downtimeSeconds: number }) => day.downtimeSeconds)
  t.equal(
    seconds.reduce((sum: number, one: number) => sum + one),
    2 * 3600,
  )
  t.same(summary.activeIncidents, [])
  const html = (await page.get('')).body
  t.match(html, /Major outage, 2 h/)
  t.match(html, /Duration: 2 hr/)
  const v2 = (await page.data('/api/v2/incidents.json')).json()
  t.match(v2.incidents, [
    {
      id: over.id,
      started_at: startedAt,
      resolved_at: resolvedAt,
      incident_updates: [{ display_at: resolvedAt }],
    },
  ])
  t.match((await page.data('/feed?format=atom')).body, 'Yesterday')
})

t.test('an incident of an earlier month is listed in that month, not in the feed', async (t) => {
  const page = await publishedOn(kit)
  const statuses = { status: 'resolved' }
  const [startedAt, resolvedAt] = [ago(200, 2), ago(200)]
  await page.open({ title: 'Long ago', startedAt, resolvedAt, ...statuses })
  const recent = await page.open({
    title: 'Recent',
    startedAt: ago(3),
    resolvedAt: ago(2),
    ...statuses,
  })
  await page.open({ title: 'Earlier', startedAt: ago(5), resolvedAt: ago(4), ...statuses })
  const month = startedAt.slice(0, 7)
  const history = (await page.get(`/history?month=${month}`)).body
  t.match(history, 'Long ago')
  t.notMatch(history, 'Recent')
  const present = (await page.get('/history')).body
  t.notMatch(present, 'Long ago')
  t.match(present, 'rel="prev"')
  const feed = (await page.data('/feed?format=json')).json()
  t.match(feed.items.map(({ id }: { id: string }) => id).length, 2)
  t.equal(feed.items[0].id, `urn:uuid:${recent.id}`)
})
