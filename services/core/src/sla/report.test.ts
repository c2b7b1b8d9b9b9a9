/** Report of a service level, as JSON and as a file. */
import {
  componentOperations,
  incidentOperations,
  MAX_REPORTED_OUTAGES,
  maintenanceOperations,
  slaOperations as on,
  type SlaReport,
} from '@status-page/contracts'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'
import type { SlaRow } from '../tables.ts'
import { buildReport } from './report.ts'

const kit = await coreKit(t)
const HOUR_MS = 3_600_000

/** Creates ten hours of history: down from the fourth to the sixth, later for a minute, and now. */
const withOutages = async (more: object = {}) => {
  const { request } = kit.as()
  const { body: component } = await request(componentOperations.create, {
    body: { type: 'SERVICE', name: 'API' },
  })
  const params = { id: component.id }
  const show = (status: string) => request(componentOperations.update, { params, body: { status } })
  const advance = (hours: number) => kit.clock.advance(hours * HOUR_MS)
  advance(4)
  await show('major_outage')
  advance(2)
  await show('operational')
  advance(1)
  await show('partial_outage')
  advance(1 / 60)
  await show('operational')
  advance(2)
  await show('major_outage')
  advance(1)
  const { body: sla } = await request(on.create, {
    body: { name: 'API', componentIds: [component.id], targetPercentage: 99, ...more },
  })
  const createdAt = Date.parse(component.createdAt)
  const at = (hours: number) => new Date(createdAt + hours * HOUR_MS).toISOString()
  const report = async (query: object = {}) => {
    const response = await request(on.report, { params: { id: sla.id }, query: query as never })
    if (response.status !== 200) throw new Error(JSON.stringify(response.body))
    return response.body as SlaReport
  }
  return { request, component, sla, at, report }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
const milliseconds = (seconds: number) => Math.round(seconds * 1_000)

t.test('the current window: outages add up, an ongoing one has no end', async (t) => {
  const { component, sla, report } = await withOutages()
  const body = await report()
  t.match(body, { slaId: sla.id, name: 'API', targetPercentage: 99, met: true })
  t.equal(body.since, component.createdAt, 'the percentage includes the start of its data')
  t.match(body.outages, [
    { componentId: component.id, status: 'major_outage' },
    { status: 'partial_outage' },
    { status: 'major_outage', endedAt: null },
  ])
  const seconds = sum(body.outages.map((outage) => outage.seconds))
  t.equal(milliseconds(seconds), milliseconds(body.downtimeSeconds))
  const share = 1 - body.downtimeSeconds / body.totalSeconds
  t.equal(body.percentage, Math.floor(share * 1_000_000) / 10_000)
  t.match(body.components, [{ name: 'API', percentage: body.percentage }])
  t.equal(body.budgetTotalSeconds, (30 * 24 * 3600) / 100, 'of the whole window')
  t.equal(
    milliseconds(body.budgetRemainingSeconds),
    milliseconds(body.budgetTotalSeconds - body.downtimeSeconds),
  )
})

t.test(
  'of very many outages the longest are listed, oldest first, and all are counted',
  async (t) => {
    const from = Date.parse('2026-01-01T00:00:00.000Z')
    const outages = Array.from({ length: MAX_REPORTED_OUTAGES + 500 }, (_none, index) => ({
      componentId: 'c',
      status: 'major_outage' as const,
      isOngoing: false,
      from: from + index * HOUR_MS,
      to: from + index * HOUR_MS + (index % 3 === 0 ? 60_000 : 120_000),
    }))
    const figures = { countedMs: 1, excludedMs: 0, downtimeMs: 0, since: from }
    const report = buildReport({
      sla: { componentIds: [], targetPercentage: 99 } as unknown as SlaRow,
      incidents: [],
      span: { from, to: from + 1 },
      names: new Map(),
      now: new Date(from),
      measurement: { ...figures, components: new Map(), outages },
    })
    t.equal(report.outageCount, outages.length)
    t.equal(report.outages.length, MAX_REPORTED_OUTAGES)
    t.ok(report.outages.every(({ seconds }) => seconds === 120))
    const starts = report.outages.map(({ startedAt }) => startedAt)
    t.same(starts, starts.toSorted())
  },
)

t.test('a part of the window: outages are clipped to it, two parts add up', async (t) => {
  const { at, report } = await withOutages()
  const part = await report({ from: at(5), to: at(6.5) })
  t.equal(part.totalSeconds, 1.5 * 3600)
  t.match(part.outages, [{ startedAt: at(5) }])
  const [left, right, whole] = [
    await report({ from: at(0), to: at(5) }),
    await report({ from: at(5), to: at(9) }),
    await report({ from: at(0), to: at(9) }),
  ]
  const parts = left.downtimeSeconds + right.downtimeSeconds
  t.equal(milliseconds(parts), milliseconds(whole.downtimeSeconds))
  t.equal(left.totalSeconds + right.totalSeconds, whole.totalSeconds)
  const before = await report({ from: at(-24), to: at(-12) })
  t.match(before, { percentage: null, since: null, met: null, totalSeconds: 0 })
})

for (const setUnderMaintenance of [true, false]) {
  const shown = setUnderMaintenance ? 'that shows under_maintenance' : 'that shows nothing'
  t.test(`an outage during a maintenance ${shown} is excluded, one after it is not`, async (t) => {
    const { request } = kit.as()
    const { body: component } = await request(componentOperations.create, {
      body: { type: 'SERVICE', name: 'API' },
    })
    const now = Date.parse(component.createdAt)
    const { body: planned } = await request(maintenanceOperations.create, {
      body: {
        title: 'Upgrade',
        scheduledFor: new Date(now + HOUR_MS).toISOString(),
        scheduledUntil: new Date(now + 3 * HOUR_MS).toISOString(),
        componentIds: [component.id],
        setUnderMaintenance,
        autoStart: false,
      },
    })
    const move = (status: string) =>
      request(maintenanceOperations.update, {
        params: { id: planned.id },
        body: { status } as never,
      })
    kit.clock.advance(HOUR_MS)
    t.equal((await move('in_progress')).status, 200)
    const { body: incident } = await request(incidentOperations.create, {
      body: {
        title: 'Upgrade fails',
        componentIds: [component.id],
        componentStatuses: { [component.id]: 'major_outage' },
      },
    })
    kit.clock.advance(HOUR_MS)
    t.equal((await move('completed')).status, 200)
    kit.clock.advance(60_000)
    await request(incidentOperations.update, {
      params: { id: incident.id },
      body: { status: 'resolved' },
    })
    kit.clock.advance(HOUR_MS)
    const { body: sla } = await request(on.create, {
      body: { name: 'API', componentIds: [component.id], targetPercentage: 99 },
    })
    const { body: report } = await request(on.report, {
      params: { id: sla.id },
      query: {} as never,
    })
    t.ok(report.downtimeSeconds >= 60 && report.downtimeSeconds < 120, report.downtimeSeconds)
    t.ok(report.excludedSeconds >= 3_600 && report.excludedSeconds < 3_700)
    t.equal(report.outageCount, 1)
  })
}

t.test('outages below the minimum length of the service level are excluded', async (t) => {
  const { report } = await withOutages({ minOutageSeconds: 600 })
  const { outages } = await report()
  t.same(
    outages.map(({ status }) => status),
    ['major_outage', 'major_outage'],
  )
})

t.test('a period is evaluated', async (t) => {
  const { request, sla, at } = await withOutages()
  const params = { id: sla.id }
  const refused = async (query: object) => {
    const { status, body } = await request(on.report, { params, query: query as never })
    t.equal(status, 400)
    return body.error.details.field
  }
  t.equal(await refused({ from: at(2), to: at(1) }), 'from')
  t.equal(await refused({ from: at(-367 * 24), to: at(0) }), 'from')
  t.equal(await refused({ to: at(-60 * 24) }), 'to', 'before the current window')
  t.equal(await refused({ format: 'xml' }), 'format')
})

t.test('the earliest and latest times are accepted', async (t) => {
  const { report } = await withOutages({ minOutageSeconds: 86_400 })
  const ends = [
    { from: '1970-01-01T00:00:00.000Z', to: '1970-12-31T00:00:00.000Z' },
    { from: '9999-01-01T00:00:00.000Z', to: '9999-12-31T23:59:59.999Z' },
  ]
  for (const query of ends) t.match(await report(query), { percentage: null, outages: [] })
})

t.test('the file has one line per outage', async (t) => {
  const { request, component, sla, at, report } = await withOutages()
  const query = { format: 'csv', from: at(0) } as never
  const { status, body, headers } = await request(on.report, { params: { id: sla.id }, query })
  t.equal(status, 200)
  t.match(headers['content-type'], /^text\/csv; charset=utf-8/)
  t.equal(headers['content-disposition'], `attachment; filename="sla-${sla.id}.csv"`)
  const { outages } = await report({ from: at(0) })
  const lines = String(body).trimEnd().split('\r\n')
  t.equal(lines[0], 'componentId,status,startedAt,endedAt,seconds')
  t.equal(lines.length, 1 + outages.length)
  const [first] = outages
  const cells = [component.id, 'major_outage', first?.startedAt, first?.endedAt, first?.seconds]
  t.equal(lines[1], cells.join(','))
  t.match(lines[3], /,major_outage,[^,]+,,/)
})

t.test('incidents of its components have their response and resolution times', async (t) => {
  const { request, component, report } = await withOutages({
    responseTargetMinutes: 15,
    resolutionTargetMinutes: 60,
  })
  const open = async (body: object) =>
    (await request(incidentOperations.create, { body: { title: 'Down', ...body } })).body
      .id as string
  const componentIds = [component.id]
  const startedAt = new Date(Date.now() + kit.clock.offsetMs() - HOUR_MS / 2).toISOString()
  const late = await open({ componentIds, startedAt })
  const prompt = await open({ componentIds })
  await open({})
  kit.clock.advance(HOUR_MS / 2)
  const body = { status: 'resolved', message: 'Fixed.' }
  await request(incidentOperations.addUpdate, { params: { id: prompt }, body })
  kit.clock.advance(HOUR_MS / 2)
  const { incidents } = await report()
  t.equal(incidents.length, 2)
  t.match(incidents, [
    { id: prompt, title: 'Down', responseBreached: false, resolutionBreached: false },
    { id: late, responseBreached: true, resolutionBreached: true, resolutionSeconds: null },
  ])
  t.equal(Math.round((incidents[0]?.resolutionSeconds ?? 0) / 60), 30)
  t.equal(Math.round((incidents[1]?.responseSeconds ?? 0) / 60), 30)
})
