// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of documents look so
/** Operations of configuration as code, end to end within config-sync. */
import {
  configurationOperations as on,
  REDACTED,
  variableOperations as variables,
} from '@status-page/contracts'
import { testCaller } from '@status-page/testing'
import t from 'tap'
import { byHand, configSyncKit } from '../config-sync.fixture.ts'

const kit = await configSyncKit(t)

const head = (version = '1') => `apiVersion: v1
kind: StatusPageConfig
metadata:
  name: production
  configVersion: "${version}"
`

const DOCUMENT = `${head()}spec:
  # What customers use
  componentGroups:
    - name: Core
      order: 1
  components:
    - name: API # the API
      type: ENDPOINT
      group: Core
      status: operational
      url: https://api.example.com/health
      headers: { Authorization: "\${TOKEN}", Accept: text/html }
      conditions:
        - { type: STATUS_CODE, comparator: EQUALS, target: "200" }
    - name: Site
      type: SERVICE
`

t.test(
  'a document is applied and exported unchanged; a second apply changes nothing',
  async (t) => {
    const { ask, organizationId } = kit.as()
    const params = { name: 'TOKEN' }
    t.equal((await ask(variables.set, { params, body: { value: 'Bearer s3cret' } })).status, 200)
    const applied = await ask(on.apply, { body: DOCUMENT })
    t.equal(applied.status, 200, JSON.stringify(applied.body))
    t.same(applied.body, {
      applied: true,
      dryRun: false,
      configVersion: '1',
      updated: [],
      deleted: [],
      created: [
        { resourceType: 'component_group', resourceName: 'Core' },
        { resourceType: 'component', resourceName: 'API' },
        { resourceType: 'component', resourceName: 'Site' },
      ],
      unchanged: 0,
      warnings: [],
    })
    const [group, api] = [...kit.owners.of(organizationId).components.values()]
    t.match(api, { parentComponentId: group?.id, managedByConfig: true })
    t.notMatch(JSON.stringify(kit.owners.calls), 's3cret', 'secrets are sent encrypted')

    const exported = await ask(on.export)
    t.match(exported.headers['content-type'], 'application/yaml')
    t.match(exported.body, '# What customers use')
    t.match(exported.body, '- name: API # the API')
    t.match(exported.body, '${TOKEN}')
    t.notMatch(exported.body, 's3cret')
    const again = await ask(on.apply, { body: exported.body, query: { prune: true } })
    t.match(again.body, { created: [], updated: [], deleted: [], unchanged: 3 })
  },
)

t.test('problems are 400 with positions; nothing is changed', async (t) => {
  const { ask, organizationId } = kit.as()
  const component = (text: string) => `${head()}spec:\n  components:\n    - ${text}\n`
  const cases: [string, string, number, number][] = [
    ['a: [', 'body', 1, 5],
    [`${head()}spec: {}\nmore: 1\n`, 'more', 7, 1],
    [component('{ name: A, type: SERVICE, id: x }'), 'spec.components[0].id', 8, 33],
    [
      component('{ name: A, type: SERVICE, url: "https://a.example" }'),
      'spec.components[0].url',
      8,
      33,
    ],
    [component('{ name: A, type: OTHER }'), 'spec.components[0].type', 8, 18],
    [component('{ name: A, type: ENDPOINT }'), 'spec.components[0].url', 8, 7],
    [component('{ name: A, type: SERVICE, group: B }'), 'spec.components[0].group', 8, 33],
    [component('{ name: A, type: SERVICE, order: "5" }'), 'spec.components[0].order', 8, 33],
    [
      component('{ name: A, type: SERVICE }\n    - { name: A, type: SERVICE }'),
      ...(['spec.components[1].name', 9, 9] as const),
    ],
    [
      component('{ name: A, type: ENDPOINT, url: "https://a.example", headers: { X-Key: abc } }'),
      ...(['spec.components[0].headers.X-Key', 8, 71] as const),
    ],
  ]
  for (const [body, field, line, column] of cases) {
    const response = await ask(on.apply, { body })
    t.equal(response.status, 400, body)
    const [issue] = response.body.error.details.issues
    t.match(issue, { field, line, column }, `${body}\n${JSON.stringify(response.body)}`)
  }
  t.equal(kit.owners.of(organizationId).components.size, 0)
})

t.test('rejected YAML nodes do not suppress other problems, and have a path', async (t) => {
  const { ask } = kit.as()
  const body = `${head()}spec:
  components:
    - { name: &api "a\\0b", type: SERVICE }
    - { name: *api, type: OTHER }
    - { name: B, type: ENDPOINT, url: !secret x }
    - { <<: {}, name: C }
    - { name: D, type: SERVICE, order: "5" }
`
  const issues = [
    ['spec.components[0].name', 'The text contains the character U+0000', 8],
    ['spec.components[1].name', 'Aliases are not supported', 9],
    ['spec.components[2].url', 'Tags are not supported', 10],
    ['spec.components[3]', 'Merge keys are not supported', 11],
    ['spec.components[1].type', /must be/, 9],
    ['spec.components[4].order', /must be/, 12],
  ] as const
  const { status, body: found } = await ask(on.validate, { body })
  t.equal(status, 200)
  t.equal(found.valid, false)
  t.match(
    found.errors,
    issues.map(([path, message, line]) => ({ path, message, line })),
  )
  t.equal(found.errors.length, issues.length, JSON.stringify(found.errors))
  const applied = await ask(on.apply, { body })
  t.equal(applied.status, 400)
  t.match(
    applied.body.error.details.issues,
    issues.map(([field, message, line]) => ({ field, message, line })),
  )
})

t.test('validate returns problems and warnings; only invalid YAML is 400', async (t) => {
  const { ask } = kit.as()
  const unknown = `${head()}spec:
  components:
    - { name: A, type: METRIC, integration: missing, query: q }
    - name: B
      type: ENDPOINT
      url: https://a.example/
      headers: { X-Key: "\${NOT_SET}" }
`
  const fine = await ask(on.validate, { body: unknown })
  t.equal(fine.status, 200)
  t.same(fine.body, {
    valid: true,
    errors: [],
    warnings: [
      'spec.components[0].integration: integration "missing" does not exist (line 8)',
      '${NOT_SET} is not set (line 12)',
    ],
  })
  t.equal((await ask(on.apply, { body: unknown })).status, 400)
  const entry = '{ name: A, description: "${PRICE}" }'
  const wrong = await ask(on.validate, { body: `${head()}spec:\n  components: [${entry}]\n` })
  t.match(wrong, { status: 200, body: { valid: false } })
  t.match(wrong.body.warnings, [/^spec\.components\[0\]\.description holds .* \(line 7\)$/])
  t.match(wrong.body.errors, [{ path: 'spec.components[0].type', line: 7, column: 16 }])
  t.equal((await ask(on.validate, { body: 'a: [' })).status, 400)
})

t.test('a state beyond the limits of a document is neither exported nor applied', async (t) => {
  const { ask, organizationId } = kit.as()
  const { components } = kit.owners.of(organizationId)
  const entries = Array.from({ length: 1_001 }, (_, index) => {
    const hand = byHand({ name: `C${index}`, type: 'SERVICE' })
    components.set(hand.id, hand)
    return `    - { name: C${index}, type: SERVICE }\n`
  })
  const refused = await ask(on.export)
  t.match(refused, { status: 409, body: { error: { details: { reason: 'invalid_state' } } } })
  t.match(refused.body.error.message, '1001 components; a document is limited to 1000')
  const calls = kit.owners.calls.length
  const applied = await ask(on.apply, {
    body: `${head()}spec:\n  components:\n${entries.join('')}`,
  })
  t.match(applied, { status: 400, body: { error: { details: { field: 'spec.components' } } } })
  t.match(applied.body.error.message, 'at most 1000 entries')
  t.equal(kit.owners.calls.length, calls, 'no service was called')
  const long = byHand({ name: 'Long', type: 'SERVICE', description: 'x'.repeat(300 * 1024) })
  components.clear()
  components.set(long.id, long)
  const large = await ask(on.export)
  t.match(large.body.error.message, 'The document would have 301 KiB; the maximum is 256 KiB')
})

t.test('a dry run returns the changes of an apply and makes none', async (t) => {
  const { ask, organizationId } = kit.as()
  const body = `${head()}spec:\n  components: [{ name: A, type: SERVICE }]\n`
  const dry = await ask(on.apply, { body, query: { dryRun: true } })
  t.match(dry.body, { applied: false, dryRun: true, created: [{ resourceName: 'A' }] })
  t.equal(kit.owners.of(organizationId).components.size, 0)
  t.equal((await ask(on.versions)).body.meta.total, 0)
})

t.test('config:write does not grant the permissions of the plan', async (t) => {
  const { organizationId } = kit.as()
  const body = `${head()}spec:\n  components: [{ name: A, type: SERVICE }]\n`
  const limited = kit.as(testCaller({ organizationId, permissions: ['config:write'] }))
  const refused = await limited.ask(on.apply, { body })
  t.match(refused, {
    status: 403,
    body: { error: { details: { permission: 'components:write' } } },
  })
  const permissions = ['config:write', 'components:write'] as const
  const allowed = kit.as(testCaller({ organizationId, permissions }))
  t.equal((await allowed.ask(on.apply, { body })).status, 200)
})

t.test('prune deletes resources of an apply, never those created through the API', async (t) => {
  const { ask, organizationId } = kit.as()
  const { components } = kit.owners.of(organizationId)
  await ask(on.apply, { body: DOCUMENT.replace(/ +headers:.*\n/, '') })
  const [group] = components.values()
  const hand = byHand({ name: 'Hand', type: 'SERVICE', parentComponentId: group?.id })
  components.set(hand.id, hand)
  const body = `${head('2')}spec:\n  components: [{ name: Site, type: SERVICE }]\n`
  t.match((await ask(on.apply, { body })).body, { deleted: [], unchanged: 1 })
  const pruned = await ask(on.apply, { body, query: { prune: true } })
  t.same(pruned.body.deleted, [
    { resourceType: 'component_group', resourceName: 'Core' },
    { resourceType: 'component', resourceName: 'API' },
  ])
  t.same(pruned.body.updated, [
    { resourceType: 'component', resourceName: 'Hand', fields: ['group'] },
  ])
  t.equal(components.get(hand.id)?.parentComponentId, null)
  t.equal(components.size, 2)
})

t.test('drift lists resources that were changed, removed and added since', async (t) => {
  const { ask, organizationId } = kit.as()
  const { components } = kit.owners.of(organizationId)
  t.match((await ask(on.drift)).body, { totalResources: 0, drift: [] })
  await ask(on.apply, { body: DOCUMENT.replace(/ +headers:.*\n/, '') })
  t.same((await ask(on.drift)).body, {
    totalResources: 3,
    managedByConfig: 3,
    manuallyCreated: 0,
    drift: [],
  })
  const [, api, site] = [...components.values()]
  if (api === undefined || site === undefined) return
  components.set(api.id, { ...api, version: 2, isMuted: true, parentComponentId: null })
  components.delete(site.id)
  const hand = byHand({ name: 'Hand', type: 'SERVICE' })
  components.set(hand.id, hand)
  const changed = await ask(on.drift)
  t.match(changed.body, { totalResources: 3, managedByConfig: 2, manuallyCreated: 1 })
  t.same(changed.body.drift, [
    {
      resourceType: 'component',
      resourceName: 'Site',
      reason: 'missing_in_system',
      fields: [],
    },
    {
      resourceType: 'component',
      resourceName: 'API',
      reason: 'modified',
      fields: ['group'],
    },
    { resourceType: 'component', resourceName: 'Hand', reason: 'not_in_config', fields: [] },
  ])
})

t.test('versions are listed and returned, and a rollback applies one again', async (t) => {
  const { ask, organizationId } = kit.as()
  const documentOf = (version: string, name: string) =>
    `${head(version)}spec:\n  components: [{ name: ${name}, type: SERVICE }]\n`
  await ask(on.apply, { body: documentOf('one', 'A') })
  await ask(on.apply, { body: documentOf('two', 'B') })
  await ask(on.apply, { body: documentOf('two', 'B') })
  const { data } = (await ask(on.versions)).body
  t.same(
    data.map(({ configVersion }: { configVersion: string }) => configVersion),
    ['two', 'one'],
    'the same document creates no version',
  )
  const params = { id: data[1].id }
  t.equal((await ask(on.readVersion, { params })).body.document, documentOf('one', 'A'))
  const back = await ask(on.rollback, { params })
  t.match(back.body, { configVersion: 'one', deleted: [{ resourceName: 'B' }], unchanged: 1 })
  t.match((await ask(on.versions)).body.data, [{ source: 'rollback', rollbackOf: params.id }])
  t.same(
    [...kit.owners.of(organizationId).components.values()].map(({ name }) => name),
    ['A'],
  )
  t.equal((await kit.as().ask(on.readVersion, { params })).status, 404)
})

t.test('an integration takes its secrets from variables; the marker retains them', async (t) => {
  const { ask, organizationId } = kit.as()
  const body = `${head()}spec:
  integrations:
    - name: metrics
      type: datadog
      config: { site: datadoghq.eu, apiKey: "\${DD_API}", appKey: "\${DD_APP}" }
  components:
    - { name: Queue, type: METRIC, integration: metrics, query: "avg:q{*}", criticalThreshold: 5 }
`
  for (const name of ['DD_API', 'DD_APP']) {
    await ask(variables.set, { params: { name }, body: { value: `value-of-${name}` } })
  }
  const applied = await ask(on.apply, { body })
  t.match(applied, { status: 200, body: { created: [{}, {}] } }, JSON.stringify(applied.body))
  const owned = kit.owners.of(organizationId)
  const [integration] = owned.integrations.values()
  const [queue] = owned.components.values()
  t.equal(queue?.metric?.integrationId, integration?.id)
  t.notMatch(JSON.stringify(integration), 'value-of')
  t.equal((await ask(on.apply, { body })).body.unchanged, 2)

  await ask(variables.set, { params: { name: 'DD_API' }, body: { value: 'another' } })
  const exported = (await ask(on.export)).body
  t.ok(exported.includes(`apiKey: "${REDACTED}"`), exported)
  t.match(exported, '${DD_APP}')
  t.match((await ask(on.apply, { body: exported })).body, { updated: [], unchanged: 2 })
  const changed = await ask(on.apply, { body })
  t.same(changed.body.updated, [
    { resourceType: 'integration', resourceName: 'metrics', fields: ['config'] },
  ])
  const literal = await ask(on.apply, { body: body.replace('"${DD_API}"', 'plain') })
  t.match(literal.body.error.details, { field: 'spec.integrations[0].config.apiKey' })
})
