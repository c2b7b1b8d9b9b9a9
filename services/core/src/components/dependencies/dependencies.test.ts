/** Dependencies of components over the API and in batches: validation, deletion and impact. */
import {
  componentBatchOperations as batches,
  componentOperations as on,
  statusPageOperations,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { testCaller } from '@status-page/testing'
import t from 'tap'
import { coreKit } from '../../core.fixture.ts'

const kit = await coreKit(t)

const service = (name: string, more: object = {}) => ({ type: 'SERVICE' as const, name, ...more })

/** Organization with shortcuts; components are created by name. */
const stage = async () => {
  const own = kit.as()
  const add = async (name: string, dependsOn: string[] = []): Promise<string> => {
    const response = await own.request(on.create, { body: service(name, { dependsOn }) })
    if (response.status !== 201) throw new Error(JSON.stringify(response.body))
    return response.body.id
  }
  const dependsOn = (id: string, ids: string[] | null) =>
    own.request(on.update, { params: { id }, body: { dependsOn: ids } })
  const read = async (id: string) => (await own.request(on.read, { params: { id } })).body
  const impact = async (id: string, query: object = {}) =>
    (await own.request(on.impact, { params: { id }, query: query as never })).body
  return { ...own, add, dependsOn, read, impact }
}

t.test('dependencies are stored, changed and removed', async (t) => {
  const { add, dependsOn, read, request } = await stage()
  const [host, database] = [await add('Host'), await add('Database')]
  const api = await add('API', [host])
  t.same((await read(api)).dependsOn, [host])
  t.match(await dependsOn(api, [host, database]), { status: 200, body: { version: 2 } })
  t.same((await read(api)).dependsOn, [host, database])
  const copy = (await request(on.clone, { params: { id: api } })).body
  t.same(copy.dependsOn, [host, database], 'a copy has the same dependencies')
  t.match(await dependsOn(api, null), { status: 200, body: { version: 3 } })
  t.same((await read(api)).dependsOn, [])
})

t.test('an unknown component, or one of another tenant, is the same 400', async (t) => {
  const { add, dependsOn, request, organizationId } = await stage()
  const api = await add('API')
  const foreign = await (await stage()).add('Foreign')
  await kit.outbox(organizationId)
  for (const id of [newId(), foreign]) {
    const created = await request(on.create, { body: service('New', { dependsOn: [api, id] }) })
    const error = { message: 'dependsOn[1] does not exist', details: { field: 'dependsOn[1]' } }
    t.match(created, { status: 400, body: { error } })
    t.equal((await dependsOn(api, [id])).status, 400)
  }
  t.same(await kit.outbox(organizationId), { events: [], audit: [] })
  t.equal((await request(on.impact, { params: { id: foreign }, query: {} as never })).status, 404)
})

t.test('a cycle and a chain of more than ten steps are 400', async (t) => {
  const { add, dependsOn } = await stage()
  const ids = [await add('0')]
  for (let depth = 1; depth <= 10; depth++) ids.push(await add(`${depth}`, [ids.at(-1) ?? '']))
  const [bottom = '', top = ''] = [ids[0], ids.at(-1)]
  const invalid = { status: 400, body: { error: { details: { field: 'dependsOn' } } } }
  t.match(await dependsOn(bottom, [bottom]), invalid, 'itself')
  t.match(await dependsOn(bottom, [top]), invalid, 'a cycle')
  t.match(await dependsOn(bottom, [await add('Below')]), invalid, 'an eleventh step')
  t.match(await dependsOn(bottom, ['x']), { status: 400 }, 'no id')
  const many = Array.from({ length: 21 }, () => newId())
  t.match(await dependsOn(bottom, many), { status: 400 }, 'more than twenty')
})

t.test('two concurrent changes cannot close a cycle', async (t) => {
  const { add, dependsOn } = await stage()
  const [a, b] = [await add('A'), await add('B')]
  const responses = await Promise.all([dependsOn(a, [b]), dependsOn(b, [a])])
  t.same(responses.map(({ status }) => status).toSorted(), [200, 400])
})

t.test('a deleted component disappears from the dependencies of others', async (t) => {
  const { add, read, request, organizationId } = await stage()
  const [host, other] = [await add('Host'), await add('Other')]
  const api = await add('API', [host, other])
  await kit.outbox(organizationId)
  t.equal((await request(on.remove, { params: { id: host } })).status, 200)
  t.match(await read(api), { dependsOn: [other], version: 2 })
  t.match((await kit.outbox(organizationId)).events, [
    { kind: 'component.updated', aggregate: api, version: 2 },
    { kind: 'component.deleted', aggregate: host },
  ])
})

t.test('the impact lists all dependents with the pages that show them', async (t) => {
  const { add, impact, request } = await stage()
  const host = await add('Host')
  const database = await add('Database', [host])
  const api = await add('API', [database])
  const web = await add('Web', [api, host])
  await add('Unrelated')
  const body = {
    name: 'Page',
    slug: `page-${api}`,
    isPublished: true,
    components: [{ componentId: api }],
  }
  const page = (await request(statusPageOperations.create, { body: body as never })).body
  t.match(await impact(host), {
    data: [
      { id: database, name: 'Database', status: 'operational', depth: 1, statusPages: [] },
      { id: web, depth: 1 },
      { id: api, depth: 2, statusPages: [{ id: page.id, name: 'Page', slug: body.slug }] },
    ],
    meta: { total: 3 },
  })
  t.match(await impact(host, { sortBy: 'name', pageSize: 1, page: 2 }), {
    data: [{ name: 'Database' }],
    meta: { total: 3, page: 2 },
  })
  t.same((await impact(web)).data, [])
})

t.test('a viewer reads the impact and changes nothing', async (t) => {
  const { request } = kit.as(testCaller({ role: 'VIEWER' }))
  const params = { id: newId() }
  t.equal((await request(on.impact, { params, query: {} as never })).status, 404)
  t.equal((await request(on.update, { params, body: { dependsOn: [] } })).status, 403)
})

t.test('a batch validates the dependencies that it leads to', async (t) => {
  const { add, read, request } = await stage()
  const apply = (parts: object) => {
    const batch = { id: newId(), mode: 'apply', create: [], update: [], remove: [], ...parts }
    return request(batches.apply, { body: batch as never })
  }
  const [host, old] = [await add('Host'), await add('Old')]
  const api = await add('API', [host, old])
  const database = newId()
  const created = { id: database, component: service('Database', { dependsOn: [host] }) }
  const cycle = { id: host, version: 1, patch: { dependsOn: [database] } }
  t.match(await apply({ create: [created], update: [cycle] }), {
    status: 400,
    body: { error: { details: { field: 'create[0].component.dependsOn' } } },
  })
  const unknown = { id: api, version: 1, patch: { dependsOn: [host, old] } }
  t.match(await apply({ update: [unknown], remove: [{ id: old, version: 1 }] }), {
    status: 400,
    body: { error: { details: { field: 'update[0].patch.dependsOn[1]' } } },
  })
  t.equal((await apply({ create: [created], remove: [{ id: old, version: 1 }] })).status, 200)
  t.match(await read(api), { dependsOn: [host], version: 2 }, 'a removed component disappears')
  t.match(await read(database), { dependsOn: [host], version: 1 })
})
