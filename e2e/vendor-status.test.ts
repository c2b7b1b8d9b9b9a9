/**
 * Components that follow a vendor: organizations share its polls, and a vendor that misbehaves
 * changes no status and delays nothing else.
 */
import {
  type Component,
  componentOperations,
  incidentDraftOperations,
  publicOperations,
  statusPageOperations,
  type UpstreamMode,
} from '@status-page/contracts'
import { eventually, httpTarget, type TargetResponse } from '@status-page/testing'
import t from 'tap'
import { register, type Tenant } from './kit/tenant.ts'
import { makeVendorsDue } from './kit/time.ts'
import { errorLogsOf, startWorld } from './kit/world.ts'

const WITHIN = { timeoutMs: 60_000 }
const SLUG = 'follower'
const ORGANIZATIONS = 5
const HUGE_BYTES = 50_000_000

const summaryOf = (status: Component['status']) => ({
  page: { name: 'Stripe Status', url: 'https://status.stripe.example' },
  status: { indicator: status === 'operational' ? 'none' : 'major', description: '' },
  components: [{ id: 'c1', name: 'API', status, updated_at: '2026-01-01T10:00:00.000Z' }],
  incidents: [],
  scheduled_maintenances: [],
})

const json = { 'content-type': 'application/json' }
const documentOf = (status: Component['status']): TargetResponse => ({
  headers: { ...json, etag: `"${status}"` },
  body: JSON.stringify(summaryOf(status)),
})

const world = await startWorld(t)
const vendor = await httpTarget(t)
const respond = (response: TargetResponse) =>
  vendor.respond(({ headers }) => {
    const known = headers['if-none-match']
    return known !== undefined && known === response.headers?.etag ? { status: 304 } : response
  })
const [tenant, ...others] = await Promise.all(
  Array.from({ length: ORGANIZATIONS }, (_none, index) => register(world.api, `${SLUG}-${index}`)),
)
const { api, email } = tenant as Tenant

const follow = async (one: Tenant, mode: UpstreamMode, component: string | null) => {
  const upstream = { url: vendor.url, component, mode }
  const name = `Payments, ${mode}`
  return one.api.call(componentOperations.create, { body: { type: 'SERVICE', name, upstream } })
}
const read = (id: string) => api.call(componentOperations.read, { params: { id } })
const reportsStatus = (id: string, status: string) =>
  eventually(async () => {
    await makeVendorsDue(world)
    const component = await read(id)
    return component.vendorReport?.status === status && component
  }, WITHIN)

/** Number of mails to the owner about a page without data. */
const notices = () =>
  world.smtp.mails.filter(
    ({ raw }) => raw.includes(`To: ${email}`) && raw.includes('has no data: Stripe'),
  ).length

respond(documentOf('operational'))
const mirrored = await follow(tenant as Tenant, 'mirror', 'API')
const drafted = await follow(tenant as Tenant, 'draft', 'API')
const noted = await follow(tenant as Tenant, 'note', null)
await api.call(statusPageOperations.create, {
  body: { name: 'Follower', slug: SLUG, isPublished: true },
})

t.test('all components and organizations share one request', async (t) => {
  for (const one of others) await follow(one, 'mirror', 'API')
  const isReported = async (one: Tenant) => {
    const { data } = await one.api.call(componentOperations.list)
    return data.every(({ vendorReport }) => vendorReport?.status === 'operational')
  }
  for (const one of [tenant as Tenant, ...others]) await eventually(() => isReported(one), WITHIN)
  t.equal(vendor.requests.length, 1)
})

t.test('a disruption is mirrored, drafted or noted, by the mode', async (t) => {
  respond(documentOf('partial_outage'))
  t.match(await reportsStatus(mirrored.id, 'partial_outage'), {
    status: 'partial_outage',
    statusSource: 'vendor',
    vendorReport: { vendor: 'Stripe', error: null },
  })
  const drafts = await eventually(async () => {
    const { data } = await api.call(incidentDraftOperations.list)
    return data.length > 0 && data
  }, WITHIN)
  t.match(drafts, [{ status: 'waiting', vendorComponentId: drafted.id, impact: 'major' }])
  t.match(await reportsStatus(noted.id, 'partial_outage'), { status: 'operational' })
  const { components } = await api.call(publicOperations.status, { params: { slug: SLUG } })
  t.match(components.map(({ status, vendorReport }) => [status, vendorReport?.status]).sort(), [
    ['operational', undefined],
    ['operational', 'partial_outage'],
    ['partial_outage', 'partial_outage'],
  ])
})

const misbehaving: readonly [what: string, error: string, response: TargetResponse][] = [
  ['HTML', 'unknown_format', { headers: { 'content-type': 'text/html' }, body: '<!doctype html>' }],
  ['50 MB', 'too_large', { headers: json, body: Buffer.alloc(HUGE_BYTES, ' ') }],
  [
    'a redirect to a private address',
    'blocked',
    { status: 302, headers: { location: 'http://10.0.0.1/' } },
  ],
]
for (const [what, error, response] of misbehaving) {
  t.test(`${what} is no data, of which owners are notified, and changes no status`, async (t) => {
    const before = notices()
    respond(response)
    t.match(await reportsStatus(mirrored.id, 'no_data'), {
      status: 'partial_outage',
      statusSource: 'vendor',
      vendorReport: { vendor: 'Stripe', error },
    })
    t.match(await reportsStatus(noted.id, 'no_data'), { status: 'operational' })
    await eventually(() => notices() > before, WITHIN)
    t.equal(notices(), before + 1, 'one mail for all components of the page')
    respond(documentOf('partial_outage'))
    await reportsStatus(mirrored.id, 'partial_outage')
  })
}

t.test('the end of the disruption ends its effects', async (t) => {
  respond(documentOf('operational'))
  t.match(await reportsStatus(mirrored.id, 'operational'), { status: 'operational' })
  await eventually(async () => {
    const { data } = await api.call(incidentDraftOperations.list)
    return data.every(({ status }) => status === 'closed')
  }, WITHIN)
  t.same(errorLogsOf(world), [])
})
