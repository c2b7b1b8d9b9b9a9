/** Moves of components: one transaction, the requested order, and the rules of the tree. */
import { componentOperations as on } from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { testCaller } from '@status-page/testing'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'

const kit = await coreKit(t)

/** Organization with the group `g` (children `a`, `b`) and the components `c` and `d`. */
const stage = async () => {
  const own = kit.as()
  const create = async (name: string, parentComponentId: string | null = null) => {
    const body = { type: 'SERVICE', name, parentComponentId }
    return (await own.request(on.create, { body })).body.id as string
  }
  const g = await create('g')
  const ids = {
    g,
    a: await create('a', g),
    b: await create('b', g),
    c: await create('c'),
    d: await create('d'),
  }
  await kit.outbox(own.organizationId)
  const place = (body: object) => own.request(on.place, { body })
  const names = async (query: object) => {
    const { body } = await own.request(on.list, { query: query as never })
    return body.data.map(({ name }: { name: string }) => name).join(' ')
  }
  const top = () => names({ topLevelOnly: true })
  const inGroup = () => names({ parentId: g })
  return { ...own, ids, create, place, top, inGroup }
}

t.test('components are placed before a sibling, and at the end', async (t) => {
  const { ids, place, top, inGroup } = await stage()
  t.equal(await top(), 'c d g')
  const { status, body } = await place({
    componentIds: [ids.g],
    parentComponentId: null,
    beforeId: ids.d,
  })
  t.equal(status, 200)
  t.match(body.data, [{ id: ids.g, name: 'g' }])
  t.equal(await top(), 'c g d')
  t.equal(await inGroup(), 'a b', 'subcomponents follow their parent')
  await place({ componentIds: [ids.c], parentComponentId: null })
  t.equal(await top(), 'g d c')
})

t.test('components of several parents are moved below one, in the given order', async (t) => {
  const { ids, place, top, inGroup, organizationId } = await stage()
  const body = { componentIds: [ids.d, ids.c], parentComponentId: ids.g, beforeId: ids.b }
  t.equal((await place(body)).status, 200)
  t.equal(await inGroup(), 'a d c b')
  t.equal(await top(), 'g')
  const { events, audit } = await kit.outbox(organizationId)
  const moved = events.filter(({ aggregate }) => aggregate === ids.c || aggregate === ids.d)
  t.match(moved, [
    { kind: 'component.updated', data: { component: { ancestorIds: [ids.g] } } },
    { kind: 'component.updated', data: { component: { ancestorIds: [ids.g] } } },
  ])
  t.ok(audit.every((action) => action === 'component.update'))
})

t.test('a move between distant values changes the moved component only', async (t) => {
  const { ids, place, organizationId } = await stage()
  await place({ componentIds: [ids.c], parentComponentId: null })
  await kit.outbox(organizationId)
  await place({ componentIds: [ids.g], parentComponentId: null })
  t.match(await kit.outbox(organizationId), {
    events: [{ aggregate: ids.g }],
    audit: ['component.update'],
  })
})

t.test('a refused move changes nothing', async (t) => {
  const { ids, place, top, inGroup, organizationId } = await stage()
  const foreign = await stage()
  const cases: [object, number, string][] = [
    [{ componentIds: [ids.c, newId()], parentComponentId: ids.g }, 400, 'componentIds[1]'],
    [{ componentIds: [ids.c, foreign.ids.c], parentComponentId: ids.g }, 400, 'componentIds[1]'],
    [{ componentIds: [ids.c], parentComponentId: newId() }, 400, 'parentComponentId'],
    [{ componentIds: [ids.c], parentComponentId: foreign.ids.g }, 400, 'parentComponentId'],
    [{ componentIds: [ids.c, ids.g], parentComponentId: ids.a }, 400, 'parentComponentId'],
    [{ componentIds: [], parentComponentId: null }, 400, 'componentIds'],
    [{ componentIds: [ids.c, ids.c], parentComponentId: null }, 400, 'componentIds'],
    [{ componentIds: [ids.c] }, 400, 'parentComponentId'],
    [{ componentIds: [ids.c], parentComponentId: null, beforeId: 5 }, 400, 'beforeId'],
    [{ componentIds: [ids.c], parentComponentId: null, beforeId: newId() }, 400, 'beforeId'],
    [{ componentIds: [ids.c], parentComponentId: null, beforeId: foreign.ids.d }, 400, 'beforeId'],
  ]
  for (const [body, status, field] of cases) {
    const response = await place(body)
    t.equal(response.status, status, JSON.stringify(body))
    t.equal(response.body.error.details.field, field)
  }
  const late = await place({ componentIds: [ids.c], parentComponentId: ids.g, beforeId: ids.d })
  t.equal(late.status, 409)
  t.equal(late.body.error.details.reason, 'invalid_state')
  t.same([await top(), await inGroup()], ['c d g', 'a b'])
  t.same(await kit.outbox(organizationId), { events: [], audit: [] })
})

t.test('a viewer cannot move components', async (t) => {
  const { request } = kit.as(testCaller({ role: 'VIEWER' }))
  const body = { componentIds: [newId()], parentComponentId: null }
  t.equal((await request(on.place, { body })).status, 403)
})

t.test('a PATCH with an outdated version is a conflict', async (t) => {
  const { ids, request } = await stage()
  const params = { id: ids.c }
  const rename = (name: string, version: number) =>
    request(on.update, { params, body: { name }, headers: { 'if-match': `"${version}"` } })
  t.match(await rename('first', 1), { status: 200, body: { name: 'first', version: 2 } })
  t.match(await rename('second', 1), {
    status: 409,
    body: { error: { details: { reason: 'version_mismatch' } } },
  })
  t.equal((await request(on.read, { params })).body.name, 'first')
  t.match(await rename('second', 2), { status: 200, body: { name: 'second', version: 3 } })
})
