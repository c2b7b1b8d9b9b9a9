/** Incident templates: stored by name, and applied to new incidents. */
import {
  componentOperations,
  incidentOperations,
  incidentTemplateOperations as on,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { testCaller } from '@status-page/testing'
import t from 'tap'
import { coreKit } from '../../core.fixture.ts'
import { organizationOn } from '../incidents.fixture.ts'

const kit = await coreKit(t)

const organization = () => {
  const one = organizationOn(kit)
  const create = (body: object) =>
    one.request(on.create, { body: { name: `T ${newId()}`, title: 'x', ...body } })
  const template = async (body: object) => (await create(body)).body
  const use = (templateId: string, body: object = {}) =>
    one.request(incidentOperations.create, { body: { templateId, ...body } })
  return { ...one, create, template, use }
}

t.test('a template is created, read, changed and deleted', async (t) => {
  const { request, create, component, emitted } = organization()
  const a = await component('A')
  await emitted()
  const { status, body } = await create({ name: 'Region', title: '{{region}} is down' })
  t.equal(status, 201)
  t.match(body, {
    name: 'Region',
    title: '{{region}} is down',
    message: '',
    status: 'investigating',
    impact: 'minor',
    componentIds: [],
    componentStatuses: {},
  })
  const params = { id: body.id }
  t.same((await request(on.read, { params })).body, body)
  const patch = (change: object) => request(on.update, { params, body: change as never })
  const changed = await patch({ impact: 'critical', componentStatuses: { [a]: 'major_outage' } })
  t.match(changed.body, { impact: 'critical', componentStatuses: { [a]: 'major_outage' } })
  kit.clock.advance(1000)
  t.same((await patch({ impact: 'critical' })).body, changed.body, 'without effect')
  t.match((await patch({ impact: null, componentStatuses: null })).body, {
    impact: 'minor',
    componentStatuses: {},
  })
  t.equal((await patch({ title: null })).status, 400)
  t.same((await request(on.remove, { params })).body, { success: true })
  t.equal((await request(on.read, { params })).status, 404)
  const { events, audit } = await emitted()
  t.same(events, [])
  t.same(
    audit.map((action) => action.replace('incident_template.', '')),
    ['create', 'update', 'update', 'delete'],
  )
})

t.test('a name is unique in an organization', async (t) => {
  const { request, create } = organization()
  await create({ name: 'Same' })
  const again = await create({ name: 'Same' })
  t.equal(again.status, 409)
  t.equal(again.body.error.details.reason, 'duplicate')
  const { body } = await create({ name: 'Other' })
  const renamed = await request(on.update, { params: { id: body.id }, body: { name: 'Same' } })
  t.equal(renamed.status, 409)
  t.equal((await organization().create({ name: 'Same' })).status, 201)
})

t.test('an incident takes omitted fields from the template', async (t) => {
  const { component, template, use, status } = organization()
  const [a, b, c] = [await component('A'), await component('B'), await component('C')]
  const { id } = await template({
    title: '{{region}} is down',
    message: '{{what}} in {{region}}',
    status: 'identified',
    impact: 'critical',
    componentIds: [b],
    componentStatuses: { [a]: 'major_outage' },
  })
  const variables = { region: 'Frankfurt {{what}}', what: '$& broke' }
  const opened = await use(id, { variables })
  t.equal(opened.status, 201)
  t.match(opened.body, {
    title: 'Frankfurt {{what}} is down',
    status: 'identified',
    impact: 'critical',
    message: '$& broke in Frankfurt {{what}}',
    components: [{ id: b }, { id: a, status: 'major_outage' }],
  })
  t.equal(await status(a), 'major_outage incident')
  const own = await use(id, {
    title: 'Own',
    message: '',
    impact: 'minor',
    status: 'investigating',
    componentIds: [c],
    componentStatuses: {},
  })
  t.equal(own.status, 201, 'overridden texts need no variables')
  t.match(own.body, {
    title: 'Own',
    message: '',
    impact: 'minor',
    status: 'investigating',
    components: [{ id: c }],
  })
})

t.test('deleted components are skipped when a template is used', async (t) => {
  const { request, component, template, use } = organization()
  const [a, b] = [await component('A'), await component('B')]
  const kept = await template({ componentIds: [a, b], componentStatuses: { [b]: 'major_outage' } })
  await request(componentOperations.remove, { params: { id: b } })
  const opened = await use(kept.id)
  t.equal(opened.status, 201)
  t.match(opened.body.components, [{ id: a }])
  t.equal(opened.body.components.length, 1)
  const params = { id: kept.id }
  const again = await request(on.update, { params, body: { componentIds: [b, a] } })
  t.equal(again.status, 200, 'stored values may be sent back')
})

t.test('an invalid body is 400 and names the field', async (t) => {
  const { create, template, use, request } = organization()
  const unknown = newId()
  const written: [object, string][] = [
    [{ name: '' }, 'name'],
    [{ title: 'x'.repeat(256) }, 'title'],
    [{ status: 'open' }, 'status'],
    [{ componentIds: [unknown] }, 'componentIds[0]'],
    [{ componentStatuses: { [unknown]: 'operational' } }, `componentStatuses.${unknown}`],
  ]
  for (const [body, field] of written) {
    const response = await create(body)
    t.equal(response.status, 400, field)
    t.equal(response.body.error.details.field, field)
  }
  const { id } = await template({ title: '{{where}} {{not one}}', message: '{{what}}' })
  const long = { where: 'x'.repeat(255), what: 'y' }
  const used: [object, string, number][] = [
    [{}, 'variables.where', 2],
    [{ variables: { where: 'x', what: 'y', why: 'z' } }, 'variables.why', 1],
    [{ variables: { where: 'two\nlines', what: 'y' } }, 'variables.where', 1],
    [{ variables: long }, 'title', 1],
    [{ title: 'x' }, 'variables.what', 1],
  ]
  for (const [body, field, count] of used) {
    const response = await use(id, body)
    t.equal(response.status, 400, field)
    t.equal(response.body.error.details.field, field)
    t.equal(response.body.error.details.issues.length, count)
  }
  t.equal((await use(unknown)).body.error.details.field, 'templateId')
  const open = (body: object) => request(incidentOperations.create, { body: body as never })
  t.equal((await open({})).body.error.details.field, 'title')
  t.equal((await open({ title: 'x', variables: {} })).body.error.details.field, 'variables')
})

t.test('templates are listed by name, and found by a part of it', async (t) => {
  const { request, create } = organization()
  for (const name of ['Beta', 'Alpha', 'Alpine']) await create({ name })
  const names = async (query: object) =>
    (await request(on.list, { query: query as never })).body.data.map(
      ({ name }: { name: string }) => name,
    )
  t.same(await names({}), ['Alpha', 'Alpine', 'Beta'])
  t.same(await names({ sortOrder: 'desc', pageSize: 2 }), ['Beta', 'Alpine'])
  t.same(await names({ search: 'LP' }), ['Alpha', 'Alpine'])
  t.same(await names({ sortBy: 'createdAt', sortOrder: 'asc' }), ['Beta', 'Alpha', 'Alpine'])
})

t.test('another organization cannot find or use a template', async (t) => {
  const [ours, theirs] = [organization(), organization()]
  const { id } = await theirs.template({})
  const params = { id }
  t.equal((await ours.request(on.read, { params })).status, 404)
  t.equal((await ours.request(on.update, { params, body: { name: 'x' } })).status, 404)
  t.equal((await ours.request(on.remove, { params })).status, 404)
  t.equal((await ours.use(id)).status, 400)
  t.equal((await ours.request(on.list)).body.meta.total, 0)
  const { organizationId } = ours
  const reader = kit.as(testCaller({ organizationId, permissions: ['incidents:read'] }))
  t.equal((await reader.request(on.list)).status, 200)
  t.equal((await reader.request(on.create, { body: { name: 'x', title: 'x' } })).status, 403)
})
