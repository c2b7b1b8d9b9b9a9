/** Creation of a status page with components: all or nothing, once, and by the rules of each part. */
import {
  componentOperations,
  pageSetupOperations as on,
  type Right,
  statusPageOperations,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { testCaller } from '@status-page/testing'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'

const kit = await coreKit(t)

const endpoint = (url: string) => ({ name: url.slice(8, 60), url })
const good = [endpoint('https://93.184.216.34/health'), endpoint('https://93.184.216.35')]

const scenario = (caller = testCaller()) => {
  const organization = kit.as(caller)
  const slug = `s-${newId().slice(-12)}`
  const page = { name: 'Acme', slug, isPublished: true }
  const create = (body: object, headers: Record<string, string> = {}) =>
    organization.request(on.create, { body, headers })
  const names = async () => {
    const { body } = await organization.request(componentOperations.list)
    return body.data.map(({ name }: { name: string }) => name)
  }
  return { ...organization, page, create, names }
}

t.test('the page shows the components in the order of the request', async (t) => {
  const { page, create, request, organizationId } = scenario()
  const { status, body } = await create({ page, endpoints: good })
  t.equal(status, 201)
  const shown = (await request(statusPageOperations.read, { params: { id: body.id } })).body
  t.match(shown, { ...page, components: [{ order: 0 }, { order: 1 }] })
  t.same(
    shown.components.map(({ componentId }: { componentId: string }) => componentId),
    body.componentIds,
  )
  const params = { id: body.componentIds[1] }
  t.match((await request(componentOperations.read, { params })).body, {
    type: 'ENDPOINT',
    url: good[1]?.url,
    checkInterval: 60,
  })
  const { events, audit } = await kit.outbox(organizationId)
  t.same(
    events.map(({ kind }) => kind),
    ['component.created', 'component.created', 'status-page.created'],
  )
  t.same(audit, ['component.create', 'component.create', 'status_page.create'])
})

t.test('a refusal names every field and stores nothing', async (t) => {
  const { page, create, names, organizationId } = scenario()
  const other = scenario()
  await other.create({ page: other.page, endpoints: [] })
  const taken = other.page.slug
  const cases: [object, number, string | undefined][] = [
    [{ page, endpoints: [...good, endpoint('https://10.0.0.1')] }, 400, 'endpoints[2].url'],
    [{ page, endpoints: [endpoint('https://127.0.0.1'), ...good] }, 400, 'endpoints[0].url'],
    [{ page, endpoints: [{ name: 'A', url: 'ftp://a.example' }] }, 400, 'endpoints[0].url'],
    [{ page, endpoints: Array(21).fill(good[0]) }, 400, 'endpoints'],
    [{ page: { ...page, slug: '-' }, endpoints: good }, 400, 'page.slug'],
    [{ page: { ...page, name: ' ' }, endpoints: good }, 400, 'page.name'],
    [{ page: { ...page, visibility: 'password' }, endpoints: good }, 400, 'password'],
    [{ page: { ...page, slug: taken }, endpoints: good }, 409, undefined],
  ]
  for (const [body, status, field] of cases) {
    const refused = await create(body)
    t.equal(refused.status, status, field ?? 'slug')
    t.equal(refused.body.error.details.field, field)
  }
  const both = [endpoint('https://10.0.0.1'), ...good, endpoint('https://[::1]/')]
  const { issues } = (await create({ page, endpoints: both })).body.error.details
  t.same(
    issues.map(({ field }: { field: string }) => field),
    ['endpoints[0].url', 'endpoints[3].url'],
  )
  t.same(await names(), [])
  t.same(await kit.outbox(organizationId), { events: [], audit: [] })
})

t.test('a repeated request with its key creates nothing more', async (t) => {
  const { page, create, names } = scenario()
  const send = () => create({ page, endpoints: good }, { 'idempotency-key': 'form-1' })
  const first = await send()
  t.same((await send()).body, first.body)
  t.equal((await names()).length, 2)
})

t.test('page and components need the rights of their own operations', async (t) => {
  const as = (...rights: Right[]) =>
    scenario({ ...testCaller(), grants: { kind: 'session', rights } })
  const editor = as('STATUS_PAGES_CREATE')
  const refused = await editor.create({ page: editor.page, endpoints: good })
  t.equal(refused.status, 403)
  t.match(refused.body.error.details, { rolePermission: 'COMPONENTS_CREATE' })
  t.equal((await editor.create({ page: editor.page, endpoints: [] })).status, 201)
  const operator = as('COMPONENTS_CREATE')
  const other = await operator.create({ page: operator.page, endpoints: good })
  t.match(other.body.error.details, { rolePermission: 'STATUS_PAGES_CREATE' })
})
