/** Plans of changes, by case. */
import { REDACTED } from '@status-page/contracts'
import { runToEnd } from '@status-page/service'
import t from 'tap'
import { checkDocument, type DesiredDocument } from '../document/document.ts'
import { defaultsOfFields, fieldsOfType } from '../document/schema.ts'
import { liveOf } from './live.fixture.ts'
import type { LiveComponent, LiveConfiguration, LiveIntegration } from './live.ts'
import { planChanges } from './plan.ts'
import type { ConfigurationPlan } from './planning.ts'

const desired = (spec: object): DesiredDocument => {
  const head = { apiVersion: 'v1', kind: 'StatusPageConfig' }
  const metadata = { name: 'production', configVersion: '1' }
  const checked = runToEnd(checkDocument({ ...head, metadata, spec }))
  if (!checked.ok) throw new Error(JSON.stringify(checked.issues))
  return checked.document
}

const there = (name: string, more: Partial<LiveComponent> = {}): LiveComponent => {
  const type = more.type ?? 'SERVICE'
  const defaults = fieldsOfType[type].map((field) => [field, defaultsOfFields[field]])
  return {
    id: name,
    version: 1,
    name,
    type,
    parentId: null,
    dependencyIds: [],
    integrationId: null,
    isManaged: true,
    ...more,
    fields: { ...Object.fromEntries(defaults), ...more.fields },
  }
}

const metrics: LiveIntegration = {
  id: 'metrics',
  version: 4,
  name: 'metrics',
  type: 'datadog',
  isEnabled: true,
  isManaged: true,
  config: { site: 'datadoghq.com', apiKey: 'one', appKey: 'two' },
}

const planOf = (
  spec: object,
  live: Partial<LiveConfiguration>,
  isPruning = false,
): ConfigurationPlan => {
  let made = 0
  const input = {
    document: desired(spec),
    isPruning,
    formerGroups: new Set<string>(),
    live: liveOf(live),
    variables: new Map([['KEY', 'one']]),
    newId: () => `new-${made++}`,
  }
  return runToEnd(planChanges(input))
}

const endpoint = { name: 'API', type: 'ENDPOINT' }
const stored = there('API', { type: 'ENDPOINT', fields: { url: 'https://a.example/', order: 7 } })

t.test('an omitted field stays, null sets the default, and spelling is no difference', (t) => {
  const cases: [object, string[]][] = [
    [{}, []],
    [{ url: 'https://A.example' }, []],
    [{ order: 7 }, []],
    [{ order: null }, ['order']],
    [{ order: 8, method: 'GET' }, ['order']],
    [{ status: 'major_outage' }, []],
    [{ headers: {} }, []],
    [{ headers: { Accept: 'x' } }, ['headers']],
    [{ conditions: [] }, []],
  ]
  for (const [fields, expected] of cases) {
    const plan = planOf({ components: [{ ...endpoint, ...fields }] }, { components: [stored] })
    t.same(plan.issues, [], JSON.stringify(fields))
    t.same(plan.summary.updated[0]?.fields ?? [], expected, JSON.stringify(fields))
  }
  t.end()
})

t.test('a secret header is compared by value; a new URL sends it again', (t) => {
  const before = { ...stored, fields: { ...stored.fields, headers: { 'X-Key': 'one' } } }
  const patchOf = (fields: object) => {
    const plan = planOf({ components: [{ ...endpoint, ...fields }] }, { components: [before] })
    return { patch: plan.components.update[0]?.value, fields: plan.summary.updated[0]?.fields }
  }
  const reference = { headers: { 'X-Key': '$' + '{KEY}' } }
  t.same(patchOf(reference).fields, undefined)
  t.same(patchOf({ headers: { 'X-Key': REDACTED } }).fields, undefined)
  t.same(patchOf({ ...reference, url: 'https://b.example/' }), {
    patch: { url: 'https://b.example/', headers: { 'X-Key': 'one' } },
    fields: ['url'],
  })
  const other = planOf(
    { components: [{ ...endpoint, headers: { 'X-Key': '$' + '{NONE}' } }] },
    { components: [before] },
  )
  t.match(other.unknown, [{ field: 'spec.components[0].headers.X-Key' }])
  t.same(other.components.update, [], 'the value that the variable once set stays')
  t.end()
})

t.test('ambiguous names, changed types and unknown groups are issues with their paths', (t) => {
  const live = { components: [there('A'), there('A', { id: 'other' }), stored] }
  const fieldsOf = (spec: object) => planOf(spec, live).issues.map(({ field }) => field)
  t.same(fieldsOf({ components: [{ name: 'A', type: 'SERVICE' }] }), ['spec.components[0].name'])
  t.same(fieldsOf({ components: [{ name: 'API', type: 'SERVICE' }] }), ['spec.components[0].type'])
  const below = (group: string) => ({ components: [{ name: 'B', type: 'SERVICE', group }] })
  for (const group of ['A', 'API', 'B', 'missing']) {
    t.same(fieldsOf(below(group)), ['spec.components[0].group'], group)
  }
  t.end()
})

t.test('dependencies are planned by name, also among new components', (t) => {
  const api = there('API', { dependencyIds: ['Host'] })
  const live = { components: [there('Host'), api, there('Twin'), there('Twin', { id: 'twin' })] }
  const depends = (name: string, dependsOn?: string[] | null) => ({
    name,
    type: 'SERVICE',
    ...(dependsOn === undefined ? {} : { dependsOn }),
  })
  const plan = planOf({ components: [depends('Web', ['Cache', 'Host']), depends('Cache')] }, live)
  t.same(plan.issues, [])
  const [web, cache] = plan.components.create
  t.same(web?.value.dependsOn, [cache?.id, 'Host'])
  t.notOk('dependsOn' in (cache?.value ?? {}))
  const changes: [string[] | null | undefined, object | undefined][] = [
    [undefined, undefined],
    [['Host'], undefined],
    [null, { dependsOn: [] }],
    [['Host', 'API2'], { dependsOn: ['Host', plan.components.create[0]?.id] }],
  ]
  for (const [dependsOn, patch] of changes) {
    const spec = { components: [depends('API2'), depends('API', dependsOn)] }
    const { components, summary } = planOf(spec, live)
    t.same(components.update[0]?.value, patch, JSON.stringify(dependsOn))
    t.same(summary.updated[0]?.fields, patch && ['dependsOn'])
  }
  const messages = (names: string[], isPruning = false) =>
    planOf({ components: [depends('Web', names)] }, live, isPruning).issues.map(
      ({ message }) => message,
    )
  t.same(messages(['Host', 'None', 'Twin']), [
    'spec.components[0].dependsOn[1] does not exist',
    'spec.components[0].dependsOn[2] matches several components',
  ])
  t.same(messages(['Host'], true), ['spec.components[0].dependsOn[0] does not exist'])
  t.end()
})

t.test('a marker without a stored secret is an issue, also in an integration', (t) => {
  const config = { apiKey: REDACTED, appKey: REDACTED }
  const spec = { integrations: [{ name: 'metrics', type: 'datadog', config }] }
  t.equal(planOf(spec, {}).issues.length, 2)
  t.same(planOf(spec, { integrations: [metrics] }).summary, {
    created: [],
    updated: [],
    deleted: [],
    unchanged: 1,
  })
  t.end()
})

t.test('a component that moves up is in the summary, an integration of its name is not', (t) => {
  const components = [there('Top'), there('metrics', { parentId: 'Top' })]
  const spec = {
    components: [{ name: 'metrics', type: 'SERVICE', order: 8 }],
    integrations: [{ name: 'metrics', type: 'datadog', isEnabled: false }],
  }
  const plan = planOf(spec, { components, integrations: [metrics] }, true)
  t.match(plan.summary.updated, [
    { resourceType: 'component', fields: ['order', 'group'] },
    { resourceType: 'integration', fields: ['isEnabled'] },
  ])
  t.same(plan.summary.updated[1]?.fields, ['isEnabled'])
  t.end()
})

t.test('pruning moves remaining children up and retains integrations in use', (t) => {
  const components = [
    there('Top'),
    there('Middle', { parentId: 'Top' }),
    there('Hand', { parentId: 'Middle', isManaged: false }),
    there('Wanted', { parentId: 'Middle' }),
    there('Queue', { type: 'METRIC', integrationId: 'metrics', isManaged: false }),
  ]
  const spec = { components: [{ name: 'Wanted', type: 'SERVICE' }] }
  const plan = planOf(spec, { components, integrations: [metrics] }, true)
  t.same(
    plan.components.remove.map(({ name }) => name),
    ['Top', 'Middle'],
  )
  t.same(
    plan.components.update.map(({ id, value }) => [id, value]),
    [
      ['Hand', { parentComponentId: null }],
      ['Wanted', { parentComponentId: null }],
    ],
  )
  t.match(plan.summary, { unchanged: 0, updated: [{ fields: ['group'] }, { fields: ['group'] }] })
  t.match(plan.issues, [{ message: /metrics is used/ }])
  const free = planOf(spec, { components: components.slice(0, 4), integrations: [metrics] }, true)
  t.same(
    free.integrations.remove.map(({ id }) => id),
    ['metrics'],
  )
  t.end()
})
