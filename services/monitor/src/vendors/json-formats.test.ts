/** JSON documents of status pages: statuses case by case, and arbitrary values. */
import { componentStatuses, MAX_VENDOR_MESSAGE, MAX_VENDOR_NAME } from '@status-page/contracts'
import fc from 'fast-check'
import t from 'tap'
import { parseJsonDocument } from './json-formats.ts'
import { vendorReportOf } from './report.ts'

const now = new Date('2026-01-10T12:00:00.000Z')
const URL = 'https://status.acme.example/'

const reportOf = (json: unknown, component: string | null) => {
  const document = parseJsonDocument(json)
  const page = { url: URL, document, error: null, failedSince: null }
  return vendorReportOf({ page, component, previous: null, now })
}

const pageWith = (given: object) => ({
  page: { name: 'Acme Service Status', url: 'javascript:alert(1)' },
  status: { indicator: 'none', description: 'All Systems Operational' },
  components: [],
  ...given,
})

for (const [indicator, status] of Object.entries({
  none: 'operational',
  minor: 'degraded_performance',
  major: 'partial_outage',
  critical: 'major_outage',
  maintenance: 'under_maintenance',
})) {
  t.test(`the indicator ${indicator} of a page is ${status}`, async (t) => {
    const report = reportOf(pageWith({ status: { indicator, description: 'Words' } }), null)
    const message = indicator === 'none' ? null : 'Words'
    t.match(report, { status, vendor: 'Acme', message, url: URL })
  })
}

t.test('an unknown indicator is another shape, an unknown status of a component no data', (t) => {
  t.equal(parseJsonDocument(pageWith({ status: { indicator: 'purple' } })), null)
  const components = [
    { id: '1', name: 'API', status: 'purple' },
    { id: '2', name: 'Web', status: 'full_outage' },
    { id: '3', name: 'Mail', status: 'constructor' },
  ]
  t.equal(parseJsonDocument(pageWith({ status: { indicator: 'constructor' } })), null)
  t.match(reportOf(pageWith({ components }), 'Mail'), { status: 'no_data' })
  t.match(reportOf(pageWith({ components }), 'API'), { status: 'no_data', error: 'unknown_format' })
  t.match(reportOf(pageWith({ components }), 'Web'), { status: 'major_outage' })
  t.end()
})

t.test('of several components with the name, the worst counts', async (t) => {
  const components = ['operational', 'partial_outage', 'under_maintenance'].map((status, id) => ({
    id: String(id),
    name: 'API',
    status,
  }))
  t.match(reportOf(pageWith({ components }), 'api'), { status: 'partial_outage' })
})

t.test('the newest open incident of a component has the words', async (t) => {
  const incident = (name: string, day: number, id: string) => ({
    name,
    updated_at: `2026-01-0${day}T00:00:00.000Z`,
    components: [{ id }],
  })
  const document = pageWith({
    components: [{ id: 'c1', name: 'API', status: 'partial_outage' }],
    incidents: [incident('Old', 1, 'c1'), incident('New', 3, 'c1'), incident('Other', 4, 'c2')],
    scheduled_maintenances: [{ ...incident('Planned', 5, 'c1'), status: 'scheduled' }],
  })
  t.match(reportOf(document, 'API'), { message: 'New', reportedAt: '2026-01-03T00:00:00.000Z' })
  const future = { ...incident('Future', 3, 'c1'), updated_at: '2099-01-01T00:00:00.000Z' }
  const ahead = reportOf({ ...document, incidents: [future] }, 'API')
  t.equal(ahead.reportedAt, now.toISOString(), 'no report is in the future')
})

t.test('no document makes the parser fail, and its texts are bounded', (t) => {
  // An object without a text, and properties that every object has.
  const odd = fc.constantFrom({ toString: 1, valueOf: 1 }, 'constructor', '__proto__')
  const value = fc.oneof(fc.jsonValue(), odd)
  const time = fc.constantFrom('-000001-01-01T00:00:00Z', '+200000-01-01T00:00:00Z')
  const text = fc.oneof(fc.string({ maxLength: 2_000 }), value, time)
  const component = fc.record({ id: text, name: text, status: text, updated_at: text })
  const listed = fc.oneof(fc.array(fc.record({ id: text }), { maxLength: 2 }), value)
  const entry = fc.record({ name: text, shortlink: text, updated_at: text, components: listed })
  const document = fc.oneof(
    value,
    fc.record({
      page: fc.record({ name: text, url: text }),
      status: fc.record({
        indicator: fc.constantFrom('none', 'major', 'purple'),
        description: text,
      }),
      components: fc.array(fc.oneof(component, value), { maxLength: 3 }),
      incidents: fc.oneof(fc.array(fc.oneof(entry, value), { maxLength: 3 }), value),
      scheduled_maintenances: value,
    }),
  )
  const property = fc.property(document, (json) => {
    const { status, vendor, message, reportedAt, url } = reportOf(json, null)
    if (![...componentStatuses, 'no_data'].includes(status)) throw new Error(status)
    if ([...vendor].length > MAX_VENDOR_NAME) throw new Error(vendor)
    if (message !== null && [...message].length > MAX_VENDOR_MESSAGE) throw new Error(message)
    if (/[\p{Cc}\u202e]/u.test(`${vendor}${message}`)) throw new Error(vendor)
    if (!/^https?:/.test(url) || !/^\d{4}-/.test(reportedAt)) throw new Error(url + reportedAt)
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 500 }))
  t.end()
})
