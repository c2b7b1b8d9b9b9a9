/** Maintenance templates: stored by name, and applied to new maintenances. */
import {
  componentOperations,
  maintenanceOperations,
  maintenanceTemplateOperations as on,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { testCaller } from '@status-page/testing'
import t from 'tap'
import { coreKit } from '../../core.fixture.ts'
import { DAY, HOUR, MINUTE, organizationOn } from '../maintenances.fixture.ts'

const kit = await coreKit(t)

const organization = () => {
  const one = organizationOn(kit)
  const create = (body: object) =>
    one.request(on.create, { body: { name: `T ${newId()}`, title: 'x', ...body } })
  const template = async (body: object) => (await create(body)).body
  const use = async (templateId: string, body: object = {}) => {
    const scheduledFor = new Date((await one.now()) + HOUR).toISOString()
    return one.request(maintenanceOperations.create, {
      body: { templateId, scheduledFor, ...body },
    })
  }
  return { ...one, create, template, use }
}

const defaults = {
  message: '',
  durationMinutes: 60,
  componentIds: [],
  autoStart: true,
  autoComplete: true,
  setUnderMaintenance: true,
  restoreOnComplete: true,
  notifySubscribers: true,
  remindBeforeMinutes: [60],
}

t.test('a template is created, read, changed and deleted', async (t) => {
  const { request, create, component, organizationId } = organization()
  const a = await component('A')
  await kit.outbox(organizationId)
  const { status, body } = await create({ name: 'Upgrade', title: '{{database}}' })
  t.equal(status, 201)
  t.match(body, { name: 'Upgrade', title: '{{database}}', ...defaults, managedByConfig: false })
  const params = { id: body.id }
  t.same((await request(on.read, { params })).body, body)
  const patch = (change: object) => request(on.update, { params, body: change as never })
  const change = { durationMinutes: 5, componentIds: [a], autoStart: false }
  const changed = await patch({ ...change, remindBeforeMinutes: [] })
  t.match(changed.body, { ...change, remindBeforeMinutes: [] })
  kit.clock.advance(1000)
  t.same((await patch({ durationMinutes: 5 })).body, changed.body, 'without effect')
  const cleared = { durationMinutes: null, componentIds: null, autoStart: null }
  t.match((await patch({ ...cleared, remindBeforeMinutes: null })).body, defaults)
  t.equal((await patch({ title: null })).status, 400)
  t.same((await request(on.remove, { params })).body, { success: true })
  t.equal((await request(on.read, { params })).status, 404)
  const { events, audit } = await kit.outbox(organizationId)
  t.same(
    events.map(({ kind }) => kind),
    ['definition.changed', 'definition.changed', 'definition.changed', 'definition.changed'],
  )
  t.same(
    audit.map((action) => action.replace('maintenance_template.', '')),
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

t.test('a maintenance takes omitted fields from the template', async (t) => {
  const { component, template, use, now } = organization()
  const [a, b] = [await component('A'), await component('B')]
  const options = {
    autoStart: false,
    autoComplete: false,
    setUnderMaintenance: false,
    restoreOnComplete: false,
    notifySubscribers: false,
    remindBeforeMinutes: [30, 1440],
  }
  const { id } = await template({
    title: 'Upgrade of {{database}}',
    message: '{{what}} in {{database}}',
    durationMinutes: 90,
    componentIds: [b],
    ...options,
  })
  const variables = { database: 'orders {{what}}', what: '$& stops' }
  const made = await use(id, { variables })
  t.equal(made.status, 201, JSON.stringify(made.body))
  t.match(made.body, {
    title: 'Upgrade of orders {{what}}',
    message: '$& stops in orders {{what}}',
    scheduledUntil: new Date(Date.parse(made.body.scheduledFor) + 90 * MINUTE).toISOString(),
    components: [{ id: b }],
    ...options,
  })
  const scheduledUntil = new Date((await now()) + DAY).toISOString()
  const own = { title: 'Own', message: '', autoStart: true, remindBeforeMinutes: [] }
  const overridden = await use(id, { ...own, scheduledUntil, componentIds: [a] })
  t.equal(overridden.status, 201, 'overridden texts need no variables')
  t.match(overridden.body, { ...own, scheduledUntil, autoComplete: false, components: [{ id: a }] })
})

t.test('deleted components are skipped when a template is used', async (t) => {
  const { request, component, template, use } = organization()
  const [a, b] = [await component('A'), await component('B')]
  const { id } = await template({ componentIds: [a, b] })
  await request(componentOperations.remove, { params: { id: b } })
  const made = await use(id)
  t.equal(made.status, 201)
  t.same(
    made.body.components.map((one: { id: string }) => one.id),
    [a],
  )
  const again = await request(on.update, { params: { id }, body: { componentIds: [b, a] } })
  t.equal(again.status, 200, 'stored values may be sent back')
})

t.test('an invalid body is 400 and names the field', async (t) => {
  const { create, template, use, request, planned } = organization()
  const unknown = newId()
  const written: [object, string][] = [
    [{ name: '' }, 'name'],
    [{ title: 'x'.repeat(256) }, 'title'],
    [{ message: 'x'.repeat(25_001) }, 'message'],
    [{ durationMinutes: 0 }, 'durationMinutes'],
    [{ durationMinutes: 129_601 }, 'durationMinutes'],
    [{ durationMinutes: '60' }, 'durationMinutes'],
    [{ remindBeforeMinutes: [1] }, 'remindBeforeMinutes[0]'],
    [{ componentIds: [unknown] }, 'componentIds[0]'],
  ]
  for (const [body, field] of written) {
    const response = await create(body)
    t.equal(response.status, 400, field)
    t.equal(response.body.error.details.field, field)
  }
  const { id } = await template({ title: '{{where}} {{not one}}', message: '{{what}}' })
  const long = { where: 'x'.repeat(255), what: 'y' }
  const used: [object, string][] = [
    [{}, 'variables.where'],
    [{ variables: { where: 'x', what: 'y', why: 'z' } }, 'variables.why'],
    [{ variables: { where: 'two\nlines', what: 'y' } }, 'variables.where'],
    [{ variables: long }, 'title'],
    [{ title: 'x', message: '', scheduledFor: 'soon' }, 'scheduledFor'],
    [{ title: 'x', message: '', scheduledFor: '2020-01-01T00:00:00Z' }, 'scheduledUntil'],
  ]
  for (const [body, field] of used) {
    const response = await use(id, body)
    t.equal(response.status, 400, field)
    t.equal(response.body.error.details.field, field)
  }
  t.equal((await use(unknown)).body.error.details.field, 'templateId')
  const plan = await planned(HOUR, 2 * HOUR)
  const withoutTemplate: [object, string][] = [
    [{ ...plan, title: undefined }, 'title'],
    [{ ...plan, scheduledUntil: undefined }, 'scheduledUntil'],
    [{ ...plan, variables: {} }, 'variables'],
  ]
  for (const [body, field] of withoutTemplate) {
    const response = await request(maintenanceOperations.create, { body: body as never })
    t.equal(response.status, 400, field)
    t.equal(response.body.error.details.field, field)
  }
})

t.test('templates are listed by name, and found by a part of it', async (t) => {
  const { request, create } = organization()
  for (const name of ['Beta', 'Alpha', 'Alpine']) await create({ name })
  const names = async (query: object) =>
    (await request(on.list, { query: query as never })).body.data.map(
      ({ name }: { name: string }) => name,
    )
  t.same(await names({}), ['Alpha', 'Alpine', 'Beta'])
  t.same(await names({ search: 'LP' }), ['Alpha', 'Alpine'])
})

t.test('another organization cannot find or use a template', async (t) => {
  const [ours, theirs] = [organization(), organization()]
  const { id } = await theirs.template({})
  const params = { id }
  t.equal((await ours.request(on.read, { params })).status, 404)
  t.equal((await ours.request(on.update, { params, body: { name: 'x' } })).status, 404)
  t.equal((await ours.request(on.remove, { params })).status, 404)
  t.equal((await ours.use(id)).status, 400)
  const foreign = await theirs.component('A')
  t.equal((await ours.create({ componentIds: [foreign] })).status, 400)
  t.equal((await ours.request(on.list)).body.meta.total, 0)
  const { organizationId } = ours
  const reader = kit.as(testCaller({ organizationId, permissions: ['maintenances:read'] }))
  t.equal((await reader.request(on.list)).status, 200)
  t.equal((await reader.request(on.create, { body: { name: 'x', title: 'x' } })).status, 403)
})
