/** Definitions in batches of config-sync over a real database, by the rules of the API. */
import {
  componentBatchOperations as batches,
  type ComponentBatch,
  type CoreDefinitionType,
  coreDefinitionTypes,
  MAX_SLAS,
  maintenanceTemplateOperations as maintenanceTemplates,
  statusPageOperations as pages,
  oncallScheduleOperations as schedules,
  slaOperations as slas,
  incidentTemplateOperations as templates,
} from '@status-page/contracts'
import { connect, newId } from '@status-page/postgres'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'

const kit = await coreKit(t)
const admin = await connect({ url: kit.adminUrl, service: 'core', max: 1 })
t.teardown(() => admin.close())

type Own = ReturnType<typeof kit.as>

const applyOn = (
  { request }: Own,
  parts: Partial<ComponentBatch>,
  mode: 'dry-run' | 'apply' = 'apply',
) =>
  request(batches.apply, {
    body: { id: newId(), mode, create: [], update: [], remove: [], ...parts },
  })

const definitionsOf = async ({ request }: Own, type: CoreDefinitionType) =>
  (await request(batches.otherDefinitions, { query: { type } })).body.data

const created = (value: object, id = newId()) => ({
  create: [{ id, value }],
  update: [],
  remove: [],
})

const slugOf = () => `page-${newId().slice(-12)}`

/** One definition of each kind, which refers to the component. */
const oneOfEach = (componentId: string, slug = slugOf()) => ({
  status_page: created({ name: 'Page', slug, components: [{ componentId }] }),
  incident_template: created({
    name: 'Outage',
    title: 'Outage',
    componentIds: [componentId],
    componentStatuses: { [componentId]: 'major_outage' },
  }),
  maintenance_template: created({
    name: 'Upgrade',
    title: 'Upgrade',
    durationMinutes: 30,
    componentIds: [componentId],
  }),
  sla: created({ name: 'Uptime', componentIds: [componentId], targetPercentage: 99 }),
  oncall_schedule: created({
    name: 'Primary',
    componentIds: [componentId],
    layers: [{ userIds: [newId()] }],
  }),
})

const component = (id: string) => ({
  id,
  component: { type: 'SERVICE' as const, name: 'API' },
})

t.test(
  'a batch creates definitions that refer to its components, in one transaction',
  async (t) => {
    const own = kit.as()
    const { request, organizationId } = own
    const id = newId()
    const definitions = oneOfEach(id)
    const response = await applyOn(own, { create: [component(id)], definitions } as never)
    t.equal(response.status, 200, JSON.stringify(response.body))
    const emitted = await kit.outbox(organizationId)
    t.same(
      emitted.events.map(({ kind }) => kind),
      [
        'component.created',
        'status-page.created',
        'definition.changed',
        'definition.changed',
        'definition.changed',
        'definition.changed',
      ],
    )
    t.same(emitted.audit, [
      'component.create',
      'status_page.create',
      'incident_template.create',
      'maintenance_template.create',
      'sla.create',
      'oncall_schedule.create',
    ])
    const lists = [pages, templates, maintenanceTemplates, slas, schedules].map(({ list }) => list)
    for (const list of lists) {
      t.match((await request(list)).body.data, [{ managedByConfig: true }], list.id)
    }
    for (const type of coreDefinitionTypes) {
      const [one] = await definitionsOf(own, type)
      t.match(one, { managedByConfig: true, etag: /^[0-9a-f]{64}$/ }, type)
      t.match(one.fields, definitions[type].create[0]?.value ?? {}, type)
    }
  },
)

t.test('an invalid definition rejects the batch with its field', async (t) => {
  const own = kit.as()
  const id = newId()
  const unknown = newId()
  const cases: [object, string][] = [
    [oneOfEach(unknown), 'definitions.status_page.create[0].value.components[0].componentId'],
    [
      { sla: created({ name: 'x', componentIds: [unknown], targetPercentage: 9 }) },
      'definitions.sla.create[0].value.componentIds[0]',
    ],
    [
      { status_page: created({ name: 'x', slug: slugOf(), allowedIpRanges: ['10.0.0.1/8'] }) },
      'definitions.status_page.create[0].value.allowedIpRanges[0]',
    ],
    [
      { status_page: created({ name: 'x', slug: slugOf(), visibility: 'password' }) },
      'definitions.status_page.create[0].value.password',
    ],
  ]
  for (const [definitions, field] of cases) {
    for (const mode of ['dry-run', 'apply'] as const) {
      const parts = { create: [component(id)], definitions } as never
      const response = await applyOn(own, parts, mode)
      t.equal(response.status, 400, JSON.stringify(response.body))
      t.equal(response.body.error.details.field, field)
    }
  }
  t.same((await own.request(batches.definitions)).body.data, [], 'no component was created')
})

t.test('a slug or domain of another organization is an issue of the dry run', async (t) => {
  const [own, other] = [kit.as(), kit.as()]
  const slug = slugOf()
  const customDomain = `${slug}.example.org`
  const { body: page } = await other.request(pages.create, {
    body: { name: 'Other', slug, customDomain },
  })
  await admin.batchSql`UPDATE core.status_pages SET custom_domain_status = 'active'
    WHERE id = ${page.id}`
  const definitions = {
    status_page: {
      ...created({ name: 'Page', slug: slugOf() }),
      create: [
        { id: newId(), value: { name: 'Page', slug: slugOf(), customDomain } },
        { id: newId(), value: { name: 'Page', slug } },
      ],
    },
  }
  const response = await applyOn(own, { definitions } as never, 'dry-run')
  t.match(response, {
    status: 400,
    body: {
      error: {
        details: {
          issues: [
            {
              field: 'definitions.status_page.create[1].value.slug',
              message: 'The slug is already in use',
            },
            { field: 'definitions.status_page.create[0].value.customDomain' },
          ],
        },
      },
    },
  })
  t.notMatch(JSON.stringify(response.body), page.id)
  const raced = await applyOn(own, { definitions } as never)
  t.match(raced, {
    status: 400,
    body: {
      error: { details: { issues: [{ field: 'definitions.status_page.create[1].value.slug' }] } },
    },
  })
  t.same(await definitionsOf(own, 'status_page'), [])
})

t.test('service levels beyond the maximum are issues, unless others are removed', async (t) => {
  const own = kit.as()
  const componentId = newId()
  await applyOn(own, {
    create: [component(componentId)],
    definitions: { sla: oneOfEach(componentId).sla },
  } as never)
  const [stored] = await definitionsOf(own, 'sla')
  await admin.batchSql`INSERT INTO core.slas SELECT copies.*
    FROM core.slas s, generate_series(1, ${MAX_SLAS - 2}) AS number,
      jsonb_populate_record(s, jsonb_build_object(
        'id', gen_random_uuid(), 'name', 'Copy ' || number)) AS copies
    WHERE s.id = ${stored.id}`
  const create = ['Last', 'Beyond'].map((name) => ({
    id: newId(),
    value: { name, componentIds: [componentId], targetPercentage: 99 },
  }))
  const sla = { create, update: [], remove: [] }
  for (const mode of ['dry-run', 'apply'] as const) {
    const response = await applyOn(own, { definitions: { sla } } as never, mode)
    t.equal(response.status, 400, mode)
    t.same(
      response.body.error.details.issues.map(({ field }: { field: string }) => field),
      ['definitions.sla.create[1].value'],
    )
  }
  const remove = [{ id: stored.id, etag: stored.etag }]
  for (const mode of ['dry-run', 'apply'] as const) {
    const exchanged = { definitions: { sla: { ...sla, remove } } }
    t.equal((await applyOn(own, exchanged as never, mode)).status, 200, mode)
  }
  t.equal((await own.request(slas.list)).body.meta.total, MAX_SLAS)
})

t.test(
  'a definition that was changed, deleted or created in the meantime is a conflict',
  async (t) => {
    const own = kit.as()
    const id = newId()
    await applyOn(own, { create: [component(id)], definitions: oneOfEach(id) } as never)
    const changes = [
      [templates.update, 'incident_template', { title: 'Other' }],
      [maintenanceTemplates.update, 'maintenance_template', { durationMinutes: 31 }],
      [slas.update, 'sla', { targetPercentage: 98 }],
      [schedules.update, 'oncall_schedule', { timezone: 'Europe/Berlin' }],
      [pages.update, 'status_page', { name: 'Other' }],
    ] as const
    for (const [update, type, body] of changes) {
      const [before] = await definitionsOf(own, type)
      const entry = { id: before.id, etag: before.etag }
      const changed = await own.request(update as never, { params: { id: before.id }, body })
      t.equal(changed.status, 200, JSON.stringify(changed.body))
      const patch = {
        [type]: { create: [], update: [{ ...entry, value: { name: 'x' } }], remove: [] },
      }
      const removal = { [type]: { create: [], update: [], remove: [entry] } }
      for (const definitions of [patch, removal]) {
        for (const mode of ['dry-run', 'apply'] as const) {
          const response = await applyOn(own, { definitions } as never, mode)
          t.match(response, {
            status: 409,
            body: { error: { details: { reason: 'version_mismatch' } } },
          })
        }
      }
      const twice = await applyOn(own, {
        definitions: { [type]: oneOfEach(id, before.fields.slug)[type] },
      } as never)
      t.equal(twice.status, 409, `${type} with a name that exists`)
      const [now] = await definitionsOf(own, type)
      const remove = [{ id: now.id, etag: now.etag }]
      const response = await applyOn(own, {
        definitions: { [type]: { create: [], update: [], remove } },
      } as never)
      t.equal(response.status, 200, JSON.stringify(response.body))
      t.same(await definitionsOf(own, type), [])
    }
  },
)

t.test('a repeated batch changes nothing, and another organization sees nothing', async (t) => {
  const [own, other] = [kit.as(), kit.as()]
  const id = newId()
  const body = {
    id: newId(),
    mode: 'apply' as const,
    create: [component(id)],
    update: [],
    remove: [],
    definitions: oneOfEach(id),
  }
  t.same((await own.request(batches.apply, { body } as never)).body, { isRepeat: false })
  t.same((await own.request(batches.apply, { body } as never)).body, { isRepeat: true })
  const [sla] = await definitionsOf(own, 'sla')
  t.same(await definitionsOf(other, 'sla'), [])
  const remove = [{ id: sla.id, etag: sla.etag }]
  const foreign = { definitions: { sla: { create: [], update: [], remove } } }
  t.equal((await applyOn(other, foreign as never)).status, 409)
  t.equal((await definitionsOf(own, 'sla')).length, 1)
})
