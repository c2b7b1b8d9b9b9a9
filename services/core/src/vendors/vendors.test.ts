/** Components that follow a vendor: their settings, reports and status. */
import {
  incidentDraftOperations,
  componentOperations as on,
  type VendorReport,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'
import { VENDOR_URL, vendorReport, vendorStatusEvent } from './vendors.fixture.ts'

const kit = await coreKit(t)

const URL = VENDOR_URL
const REPORTED_AT = '2026-01-01T10:00:00.000Z'

const followed = async (upstream: object) => {
  const organization = kit.as()
  const { body } = await organization.request(on.create, {
    body: { type: 'SERVICE', name: 'Payments', upstream: { url: URL, ...upstream } as never },
  })
  const id = body.id as string
  let version = 0
  const read = async () => (await organization.request(on.read, { params: { id } })).body
  return {
    ...organization,
    id,
    read,
    status: async () => {
      const { status, statusSource } = await read()
      return `${status} ${statusSource}`
    },
    patch: (body: object) => organization.request(on.update, { params: { id }, body }),
    reports: (
      status: VendorReport['status'],
      given: { component?: string; version?: number } = {},
    ) => {
      version = given.version ?? version + 1
      const { component = null } = given
      const report = vendorReport({ status })
      const event = vendorStatusEvent(id, version, { component, report })
      return kit.publishAndHandle('monitor', organization.organizationId, event)
    },
  }
}

t.test('a component mirrors its vendor, and no data changes no status', async (t) => {
  const { reports, status, read } = await followed({})
  t.match(await read(), {
    upstream: { url: URL, component: null, mode: 'mirror' },
    vendorReport: null,
  })
  await reports('no_data')
  t.equal(await status(), 'operational manual')
  t.match((await read()).vendorReport, { status: 'no_data', error: 'timeout', vendor: 'Acme' })
  await reports('major_outage')
  t.equal(await status(), 'major_outage vendor')
  await reports('no_data')
  t.equal(await status(), 'major_outage vendor', 'the last known status stays')
  await reports('under_maintenance')
  t.equal(await status(), 'under_maintenance vendor')
  await reports('operational')
  t.equal(await status(), 'operational manual')
})

t.test('an older report, and one of another page, change nothing', async (t) => {
  const { reports, status, read } = await followed({ component: 'API' })
  await reports('major_outage')
  t.equal((await read()).vendorReport, null, 'of the whole page')
  await reports('partial_outage', { component: 'API', version: 5 })
  await reports('operational', { component: 'API', version: 4 })
  t.equal(await status(), 'partial_outage vendor')
})

t.test('a manual status holds until the vendor reports another one', async (t) => {
  const { reports, status, patch } = await followed({})
  await reports('partial_outage')
  await patch({ status: 'operational' })
  t.equal(await status(), 'operational manual')
  await reports('partial_outage')
  t.equal(await status(), 'operational manual')
  await reports('major_outage')
  t.equal(await status(), 'major_outage vendor')
})

t.test('another mode or upstream applies at once', async (t) => {
  const { reports, status, patch, read } = await followed({ mode: 'note' })
  await reports('partial_outage')
  t.equal(await status(), 'operational manual', 'a note changes no status')
  const mirrored = await patch({ upstream: { url: URL, mode: 'mirror' } })
  t.match(mirrored.body, { status: 'partial_outage', statusSource: 'vendor', version: 2 })
  await patch({ upstream: { url: URL, component: 'API' } })
  t.equal(await status(), 'operational manual', 'the report of another component is dropped')
  t.equal((await read()).vendorReport, null)
  await reports('major_outage', { component: 'API' })
  await patch({ upstream: null })
  t.equal(await status(), 'operational manual')
  t.match(await read(), { upstream: null, vendorReport: null })
  t.equal((await patch({ upstream: null })).body.version, 4, 'the same value changes nothing')
})

t.test('a disruption has one draft until the vendor reports its end', async (t) => {
  const { reports, status, request, patch, id } = await followed({ mode: 'draft' })
  const drafts = async () =>
    (await request(incidentDraftOperations.list, { query: { sortOrder: 'asc' } as never })).body
      .data
  await reports('no_data')
  await reports('under_maintenance')
  t.same(await drafts(), [], 'neither is a disruption')
  await reports('partial_outage')
  t.match(await drafts(), [
    {
      status: 'waiting',
      impact: 'major',
      title: 'Payments: Acme reports a disruption',
      message: `Acme reports: partial outage\n\n${URL}`,
      componentIds: [id],
      integrationId: null,
      vendorComponentId: id,
      startedAt: REPORTED_AT,
      publishAt: null,
    },
  ])
  await reports('major_outage')
  await reports('no_data')
  t.match(await drafts(), [{ status: 'waiting', impact: 'critical', alertResolvedAt: null }])
  t.equal(await status(), 'operational manual', 'a draft changes no status')
  await reports('operational')
  t.match(await drafts(), [{ status: 'closed', alertResolvedAt: REPORTED_AT }])
  await reports('degraded_performance')
  const [, second] = await drafts()
  const published = await request(incidentDraftOperations.publish, {
    params: { id: second.id },
    body: {},
  })
  t.match(published, { status: 200, body: { impact: 'minor', components: [{ id }] } })
  t.equal(await status(), 'degraded_performance incident')
  await reports('operational')
  t.equal(await status(), 'degraded_performance incident', 'people resolve the incident')
  t.match((await drafts())[1], {
    status: 'published',
    notes: [{}, {}, { text: /must be resolved manually/ }],
  })
  await reports('major_outage')
  await patch({ upstream: { url: URL, mode: 'note' } })
  await reports('major_outage')
  t.match((await drafts())[2], { status: 'closed' }, 'a draft ends with its mode')
})

t.test('an upstream is validated, and belongs to SERVICE components', async (t) => {
  const { request } = kit.as()
  const create = async (body: object) => {
    const { status, body: reply } = await request(on.create, { body: body as never })
    return { status, field: reply.error?.details?.field }
  }
  const service = { type: 'SERVICE', name: 'P' }
  for (const [upstream, field] of [
    [{ url: 'https://10.0.0.1/' }, 'upstream.url'],
    [{ url: 'http://localhost/' }, 'upstream.url'],
    [{ url: 'ftp://acme.example/' }, 'upstream.url'],
    [{ url: URL, mode: 'copy' }, 'upstream.mode'],
    [{ url: URL, component: '' }, 'upstream.component'],
    [{ mode: 'note' }, 'upstream.url'],
    ['https://acme.example', 'upstream'],
  ] as const) {
    t.same(await create({ ...service, upstream }), { status: 400, field }, JSON.stringify(upstream))
  }
  const { body } = await request(on.create, {
    body: { type: 'ENDPOINT', name: 'E', url: URL },
  })
  t.notOk('upstream' in body)
  const patch = { upstream: { url: 'https://10.0.0.1/' } }
  const patched = await request(on.update, { params: { id: body.id }, body: patch })
  t.match(patched, { status: 200, body: { version: 1 } }, 'a field of another type is ignored')
  const unknown = await request(on.read, { params: { id: newId() } })
  t.equal(unknown.status, 404)
})
