/**
 * Pages, templates, service levels and schedules in a document: planned, applied, pruned, exported
 * and compared as components are.
 */
import { configurationOperations as config } from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { testCaller } from '@status-page/testing'
import t from 'tap'
import { byHand, configSyncKit, definedAs, lostResponse } from '../config-sync.fixture.ts'

const kit = await configSyncKit(t)

const HEAD = `apiVersion: v1
kind: StatusPageConfig
metadata:
  name: production
  configVersion: "1"
spec:
`

const DOCUMENT = `${HEAD}  components:
    - name: API
      type: SERVICE
    - name: Checkout
      type: SERVICE
  # What customers see.
  statusPages:
    - slug: acme # public
      name: Acme
      isPublished: true
      components:
        - component: API
          displayName: Our API
        - component: Checkout
      theme: { mode: dark }
      subscriberDefaults: { components: [ API ], events: [ incident.created ] }
  incidentTemplates:
    - name: Region down
      title: "{{region}} is down"
      components: [ API ]
      componentStatuses: { API: major_outage }
  maintenanceTemplates:
    - name: Upgrade
      title: "Upgrade of {{what}}"
      durationMinutes: 90
      components: [ Checkout ]
  slas:
    - name: API 99.9
      components: [ API, Checkout ]
      targetPercentage: 99.9
  oncallSchedules:
    - name: Primary
      components: [ Checkout ]
      layers:
        - name: Week
          users: [ ana@example.com, BO@example.com ]
          startsAt: 2026-08-03T00:00:00Z
      escalation:
        - delayMinutes: 0
          targets: [ schedule ]
        - delayMinutes: 15
          targets: [ "user:bo@example.com", "channel:Ops: night" ]
`

const ANA = '01990000-0000-7000-8000-00000000000a'
const BO = '01990000-0000-7000-8000-00000000000b'

const OPS = '01990000-0000-7000-8000-00000000000c'

const organization = () => {
  const own = kit.as()
  const owned = kit.owners.of(own.organizationId)
  owned.members.push(
    { userId: ANA, email: 'ana@example.com' },
    { userId: BO, email: 'bo@example.com' },
  )
  owned.channels.push({ id: OPS, name: 'Ops: night' })
  const apply = (body: string, query: Record<string, unknown> = {}) =>
    own.ask(config.apply, { body, query })
  const fieldsOf = (type: string, index = 0) => owned.definitions.get(type)?.[index]?.fields
  const idOf = (name: string) => [...owned.components.values()].find((one) => one.name === name)?.id
  return { ...own, owned, apply, fieldsOf, idOf }
}

t.test('an applied document creates resources by names and is exported as written', async (t) => {
  const { ask, apply, fieldsOf, idOf } = organization()
  const applied = await apply(DOCUMENT)
  t.equal(applied.status, 200, JSON.stringify(applied.body))
  t.same(
    applied.body.created.map((one: object) => Object.values(one).join(' ')),
    [
      'component API',
      'component Checkout',
      'status_page acme',
      'incident_template Region down',
      'maintenance_template Upgrade',
      'sla API 99.9',
      'oncall_schedule Primary',
    ],
  )
  t.match(fieldsOf('status_page'), {
    slug: 'acme',
    components: [{ componentId: idOf('API'), displayName: 'Our API' }, {}],
    subscriberDefaults: { componentIds: [idOf('API')], events: ['incident.created'] },
  })
  t.match(fieldsOf('incident_template'), {
    componentIds: [idOf('API')],
    componentStatuses: { [idOf('API') ?? '']: 'major_outage' },
  })
  t.match(fieldsOf('maintenance_template'), {
    durationMinutes: 90,
    componentIds: [idOf('Checkout')],
  })
  t.match(fieldsOf('sla'), { componentIds: [idOf('API'), idOf('Checkout')] })
  t.match(fieldsOf('oncall_schedule'), {
    layers: [{ userIds: [ANA, BO] }],
    escalation: [{}, { targets: [`user:${BO}`, `channel:${OPS}`] }],
  })
  const exported = await ask(config.export)
  t.equal(exported.body, DOCUMENT)
  t.match((await apply(DOCUMENT)).body, { created: [], updated: [], unchanged: 7 })
  t.match((await ask(config.drift)).body, { totalResources: 7, managedByConfig: 7, drift: [] })
})

t.test('changes made elsewhere are drift, and an apply reverts them', async (t) => {
  const { ask, apply, owned, fieldsOf, idOf } = organization()
  await apply(DOCUMENT)
  const change = (type: string, fields: Record<string, unknown>) => {
    const [stored] = owned.definitions.get(type) ?? []
    owned.definitions.set(type, [definedAs(stored?.id ?? '', { ...stored?.fields, ...fields })])
  }
  change('status_page', { isPublished: false, locale: 'de' })
  change('maintenance_template', { durationMinutes: 60, notifySubscribers: false })
  change('sla', { componentIds: [idOf('API')] })
  owned.definitions.set('oncall_schedule', [])
  owned.definitions.get('incident_template')?.push({
    ...definedAs(ANA, { name: 'Manual', title: 'Manual', componentIds: [] }),
    managedByConfig: false,
  })
  const { drift, totalResources } = (await ask(config.drift)).body
  t.equal(totalResources, 7)
  t.same(drift, [
    {
      resourceType: 'oncall_schedule',
      resourceName: 'Primary',
      reason: 'missing_in_system',
      fields: [],
    },
    {
      resourceType: 'status_page',
      resourceName: 'acme',
      reason: 'modified',
      fields: ['isPublished'],
    },
    {
      resourceType: 'maintenance_template',
      resourceName: 'Upgrade',
      reason: 'modified',
      fields: ['durationMinutes'],
    },
    {
      resourceType: 'sla',
      resourceName: 'API 99.9',
      reason: 'modified',
      fields: ['components'],
    },
    {
      resourceType: 'incident_template',
      resourceName: 'Manual',
      reason: 'not_in_config',
      fields: [],
    },
  ])
  t.match((await ask(config.export)).body, /locale: de[\s\S]*name: Manual/)
  await apply(DOCUMENT)
  t.match(fieldsOf('status_page'), { isPublished: true, locale: 'de' }, 'absent fields stay')
  t.match(fieldsOf('sla'), { componentIds: [idOf('API'), idOf('Checkout')] })
})

t.test('a document without a section neither changes nor reports its resources', async (t) => {
  const { ask, apply, owned } = organization()
  const page = definedAs(ANA, { slug: 'manual', name: 'Manual', components: [] })
  owned.definitions.set('status_page', [{ ...page, managedByConfig: false }])
  const body = `${HEAD}  components: [ { name: API, type: SERVICE } ]\n`
  t.equal((await apply(body, { prune: true })).status, 200)
  t.match((await ask(config.drift)).body, { totalResources: 1, drift: [] })
  t.match(owned.definitions.get('status_page'), [{ id: ANA }])
  t.match((await ask(config.export)).body, /statusPages:\n +- slug: manual/)
})

t.test('pruning deletes what an apply created, with the sections that it lacks', async (t) => {
  const { apply, owned } = organization()
  await apply(DOCUMENT)
  const manual = { ...definedAs(BO, { name: 'Manual', componentIds: [] }), managedByConfig: false }
  owned.definitions.get('sla')?.push(manual)
  const rest = `${HEAD}  components: [ { name: API, type: SERVICE } ]\n`
  t.match((await apply(rest)).body, { deleted: [] })
  const pruned = await apply(rest, { prune: true })
  t.same(
    pruned.body.deleted.map(({ resourceType }: { resourceType: string }) => resourceType),
    [
      'status_page',
      'incident_template',
      'maintenance_template',
      'sla',
      'oncall_schedule',
      'component',
    ],
  )
  t.same(owned.definitions.get('sla'), [manual])
  t.same(owned.definitions.get('status_page'), [])
})

t.test('problems have the path and the line of the entry', async (t) => {
  const { apply, owned } = organization()
  const stranger = kit.owners.of(newId())
  stranger.members.push({ userId: newId(), email: 'eve@example.com' })
  const cases: [string, string, number][] = [
    [DOCUMENT.replace('[ API ]\n', '[ Other ]\n'), 'spec.incidentTemplates[0].components[0]', 26],
    [DOCUMENT.replace('BO@', 'eve@'), 'spec.oncallSchedules[0].layers[0].users[1]', 42],
    [
      DOCUMENT.replace('"user:bo@', '"channel:bo@'),
      'spec.oncallSchedules[0].escalation[1].targets[0]',
      48,
    ],
    [DOCUMENT.replace('targetPercentage: 99.9', ''), 'spec.slas[0].targetPercentage', 34],
    [
      DOCUMENT.replace('- component: API', '- component: Other'),
      'spec.statusPages[0].components[0].component',
      18,
    ],
    [
      DOCUMENT.replace('[ Checkout ]', '[ Other ]'),
      'spec.maintenanceTemplates[0].components[0]',
      32,
    ],
    [DOCUMENT.replace('90', '0'), 'spec.maintenanceTemplates[0].durationMinutes', 31],
    [
      DOCUMENT.replace('{ components: [ API ]', '{ components: [ Other ]'),
      'spec.statusPages[0].subscriberDefaults.components[0]',
      22,
    ],
    [DOCUMENT.replace('isPublished', 'published'), 'spec.statusPages[0].published', 16],
    [DOCUMENT.replace('slug: acme', 'slug: A'), 'spec.statusPages[0].slug', 14],
    [
      DOCUMENT.replace('{ API: major', '{ Other: major'),
      'spec.incidentTemplates[0].componentStatuses.Other',
      27,
    ],
  ]
  for (const [text, field, line] of cases) {
    const response = await apply(text)
    t.equal(response.status, 400, field)
    t.match(response.body.error.details.issues, [{ field, line }], field)
  }
  t.equal(owned.definitions.size, 0)
  const [twice] = DOCUMENT.split('  oncallSchedules')
  const again = `${twice}    - { name: API 99.9, components: [ API ], targetPercentage: 99 }\n`
  t.match((await apply(again)).body.error.details, { field: 'spec.slas[1].name' })
})

t.test('an apply needs the permission of each kind that it changes', async (t) => {
  const grants = ['config:write', 'components:write', 'status-pages:write', 'sla:write'] as const
  const own = kit.as(testCaller({ permissions: grants }))
  kit.owners.of(own.organizationId).members.push({ userId: ANA, email: 'ana@example.com' })
  kit.owners.of(own.organizationId).channels.push({ id: OPS, name: 'Ops: night' })
  const response = await own.ask(config.apply, {
    body: DOCUMENT.replace(', BO@example.com', '').replace('user:bo', 'user:ana'),
  })
  t.match(response, {
    status: 403,
    body: { error: { details: { permission: 'incidents:write' } } },
  })
})

t.test('a lost reply of core does not repeat the changes', async (t) => {
  const { apply, owned, ask } = organization()
  let isLost = true
  kit.owners.afterBatch((_operation, batch) => {
    if (!isLost || batch.mode !== 'apply') return
    isLost = false
    throw lostResponse()
  })
  t.equal((await apply(DOCUMENT)).status, 504)
  kit.owners.afterBatch(() => {})
  await kit.runDue()
  t.equal(owned.definitions.get('sla')?.length, 1)
  t.match((await ask(config.drift)).body, { managedByConfig: 7, drift: [] })
})

t.test('references to deleted and to repeated names are left out of an export', async (t) => {
  const { ask, apply, owned, idOf } = organization()
  await apply(DOCUMENT)
  owned.components.delete(idOf('Checkout') ?? '')
  const twin = byHand({ name: 'API', type: 'SERVICE' })
  const text = (await ask(config.export)).body
  t.match(text, /name: API 99.9\n +components: \[ API \]/)
  t.notMatch(text, /Checkout/)
  t.match(text, /components of oncall_schedule "Primary" is left out/)
  owned.components.set(twin.id, twin)
  const ambiguous = (await ask(config.export)).body
  t.match(ambiguous, /components of sla "API 99.9" is left out/)
  t.match((await apply(ambiguous, { dryRun: true })).body, { created: [], updated: [] })
})

const EVERY_FIELD = `${HEAD}  components:
    - { name: "A: b", type: SERVICE }
    - { name: B.c, type: SERVICE }
  statusPages:
    - slug: full
      name: Full
      description: "two\\nlines"
      isPublished: true
      visibility: ip_allowlist
      allowedIpRanges: [203.0.113.0/24, "2001:DB8::/32"]
      customDomain: Status.Example.org
      components:
        - { component: "A: b", displayName: X, groupName: G, order: 3, showUptime: false, showChildren: false }
        - { component: B.c }
      theme: { mode: light, primaryColor: "#AABBCC", majorColor: "#000000" }
      logoUrl: https://A.example
      logoDarkUrl: https://a.example/dark.png
      faviconUrl: https://a.example/f.ico
      homepageUrl: http://a.example
      supportUrl: mailto:help@example.org
      timezone: Europe/Berlin
      locale: de
      alternateLocales: [en, fr]
      uptimeDays: 30
      incidentHistoryDays: 7
      showUptimePercentage: false
      allowIndexing: false
      allowFeeds: false
      allowEmailSubscribers: false
      allowSmsSubscribers: true
      allowWebhookSubscribers: true
      subscriberDefaults: { events: [maintenance.started, incident.resolved], components: [B.c, "A: b"] }
  incidentTemplates:
    - name: T
      title: "{{x}} fails"
      message: "**bold** {{x}}\\n\\n- a\\n"
      status: identified
      impact: critical
      components: ["A: b", B.c]
      componentStatuses: { B.c: partial_outage, "A: b": degraded_performance }
  maintenanceTemplates:
    - name: M
      title: "{{x}} upgrade"
      message: "**bold** {{x}}\\n"
      durationMinutes: 129600
      components: ["A: b", B.c]
      autoStart: false
      autoComplete: false
      setUnderMaintenance: false
      restoreOnComplete: false
      notifySubscribers: false
      remindBeforeMinutes: [1440, 5]
  slas:
    - name: S
      description: d
      components: [B.c]
      targetPercentage: 99.95
      windowType: calendar_month
      windowDays: 7
      timezone: America/New_York
      aggregation: average
      downtimeStatuses: [degraded_performance, major_outage]
      partialWeight: 0.5
      excludeMaintenance: false
      minOutageSeconds: 60
      atRiskThreshold: 10
      isEnabled: false
      responseTargetMinutes: 15
      resolutionTargetMinutes: 240
  oncallSchedules:
    - name: O
      description: d
      timezone: Asia/Tokyo
      components: ["A: b"]
      events: [sla.breached]
      isEnabled: false
      layers:
        - name: L
          order: 5
          startsAt: 2026-08-03T09:00:00+02:00
          endsAt: 2027-08-03T09:00:00Z
          rotationInterval: daily
          rotationLength: 2
          handoffTime: "09:00"
          users: [ana@example.com, ANA@example.com]
          restrictions: [{ type: daily, startTime: "08:00", durationSeconds: 3600 }, { type: weekly, startDay: 7, startTime: "08:00", durationSeconds: 3600 }]
        - { users: [ana@example.com] }
        - { name: L, users: [ana@example.com] }
      escalation:
        - { delayMinutes: 5, targets: [schedule, "user:ana@example.com"] }
`

t.test('every field of every kind is stored as written in any spelling', async (t) => {
  const { ask, apply } = organization()
  const applied = await apply(EVERY_FIELD)
  t.equal(applied.status, 200, JSON.stringify(applied.body))
  t.match((await apply(EVERY_FIELD)).body, { created: [], updated: [], unchanged: 7 })
  t.match((await ask(config.drift)).body, { drift: [] })
  await apply(`${HEAD}  components: []\n`)
  const exported = (await ask(config.export)).body
  t.match((await apply(exported)).body, { created: [], updated: [], unchanged: 7 })
})
