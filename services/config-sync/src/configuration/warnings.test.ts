// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of documents look so
/**
 * Warnings about components that a document cannot express and about references that are plain
 * text.
 */
import { runToEnd } from '@status-page/service'
import t from 'tap'
import { sections } from './definitions/sections.ts'
import { checkDocument, type DesiredDocument } from './document/document.ts'
import { defaultsOfFields, fieldsOfType } from './document/schema.ts'
import { readYaml } from './document/yaml-reading.ts'
import { writeYaml } from './document/yaml-writing.ts'
import { exportDocumentValues } from './export.ts'
import { liveOf } from './plan/live.fixture.ts'
import type { LiveComponent, LiveConfiguration } from './plan/live.ts'
import { planChanges } from './plan/plan.ts'

const desiredOf = (value: unknown): DesiredDocument => {
  const checked = runToEnd(checkDocument(value))
  if (!checked.ok) throw new Error(JSON.stringify(checked.issues))
  return checked.document
}

const desired = (spec: object): DesiredDocument =>
  desiredOf({
    apiVersion: 'v1',
    kind: 'StatusPageConfig',
    metadata: { name: 'production', configVersion: '1' },
    spec,
  })

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

const nothing = liveOf()

const exported = (components: LiveComponent[]) =>
  runToEnd(
    exportDocumentValues({
      live: liveOf({ components }),
      included: sections,
      last: null,
      variables: new Map(),
      name: 'x',
    }),
  )

const planned = (document: DesiredDocument, live: LiveConfiguration) => {
  let made = 0
  const newId = () => `new-${made++}`
  return runToEnd(
    planChanges({
      document,
      live,
      variables: new Map(),
      isPruning: false,
      formerGroups: new Set(),
      newId,
    }),
  )
}

t.test('groups of any depth are exported with their parents and applied unchanged', async (t) => {
  const live = [
    there('World'),
    there('Europe', { parentId: 'World' }),
    there('Frankfurt', { parentId: 'Europe' }),
    there('API', { parentId: 'Frankfurt' }),
    there('Site'),
  ]
  const { values, warnings } = exported(live)
  t.same(warnings, [])
  const document = desiredOf(values)
  const { components, issues } = planned(document, nothing)
  t.same(issues, [])
  const names = new Map(components.create.map(({ id, value }) => [id, value.name]))
  const parents = Object.fromEntries(
    components.create.map(({ value }) => [
      value.name,
      names.get(String(value.parentComponentId)) ?? null,
    ]),
  )
  t.same(parents, {
    World: null,
    Europe: 'World',
    Frankfurt: 'Europe',
    API: 'Frankfurt',
    Site: null,
  })
  const unchanged = planned(document, liveOf({ components: live }))
  t.same(unchanged.summary, { created: [], updated: [], deleted: [], unchanged: 5 })
})

t.test('an export warns about components that a document cannot express', async (t) => {
  const url = 'https://a.example/'
  const live = [
    there('Europe', { id: 'e1' }),
    there('America', { id: 'a1' }),
    there('API', { id: 'e2', parentId: 'e1' }),
    there('API', { id: 'a2', parentId: 'a1' }),
    there('Gate', { id: 'e3', parentId: 'e2' }),
    there('Check', { id: 'c1', type: 'ENDPOINT', fields: { url } }),
    there('Part', { id: 'c2', parentId: 'c1' }),
    there('Site', { id: 's1', dependencyIds: ['c1', 'e2'] }),
    there('Shop', { id: 's2', dependencyIds: ['c1'] }),
  ]
  const { values, warnings } = exported(live)
  t.same(warnings, [
    '2 components are named "API" and are left out: "Europe / API", "America / API"',
    '"Europe / API / Gate" is written without its group: several components are named "API"',
    '"Check / Part" is written without its group: "Check" is of type ENDPOINT',
    '"Site" is written without its dependencies: several components are named "API"',
  ])
  const { components } = values.spec as { components: { name: string; dependsOn?: string[] }[] }
  const dependencies = new Map(components.map(({ name, dependsOn }) => [name, dependsOn]))
  t.same([dependencies.get('Site'), dependencies.get('Shop')], [undefined, ['Check']])
  const text = writeYaml({ base: null, values, warnings })
  t.match(text, '# warnings: 2 components are named "API"')
  const again = writeYaml({ base: text, values, warnings: [] })
  t.notMatch(again, 'warnings')
  t.match(readYaml(again), { ok: true })
})

t.test('an export warning names equal components once, with their number', async (t) => {
  const live = ['s1', 's2', 's3'].map((id) => there('Seq', { id }))
  t.same(exported(live).warnings, ['3 components are named "Seq" and are left out'])
  const inOneGroup = [there('Group'), ...live.map((one) => ({ ...one, parentId: 'Group' }))]
  t.same(exported(inOneGroup).warnings, [
    '3 components are named "Seq" and are left out: "Group / Seq"',
  ])
})

t.test('a reference inside a longer value is a warning with its field', async (t) => {
  const document = desired({
    integrations: [
      {
        name: 'metrics',
        type: 'prometheus',
        config: { url: 'https://${HOST}/api', bearerToken: '${TOKEN}' },
      },
    ],
    components: [
      {
        name: 'API',
        type: 'ENDPOINT',
        url: 'https://a.example/',
        description: 'Costs $5, {NAME} and $NAME',
        headers: { 'User-Agent': 'probe ${VERSION}', 'X-Key': '${KEY}' },
        conditions: [
          { type: 'JSON_PATH', comparator: 'EQUALS', target: '$.version == v${VERSION}' },
        ],
      },
    ],
  })
  const { textReferences: warnings } = document
  t.same(
    warnings.map(({ field }) => field),
    [
      'spec.integrations[0].config.url',
      'spec.components[0].headers.User-Agent',
      'spec.components[0].conditions[0].target',
    ],
  )
  t.match(warnings[0]?.message, /config\.url holds \$\{HOST\} inside a longer value/)
})

t.test('a whole reference in a field that is not resolved is a warning', async (t) => {
  const { textReferences: warnings } = desired({
    components: [
      {
        name: 'API',
        type: 'ENDPOINT',
        url: 'https://a.example/',
        description: '${PRICE}',
        headers: { 'X-Whole': '${PRICE}', 'X-Key': '${KEY}' },
      },
    ],
  })
  const message =
    'holds ${PRICE}, which is plain text here: only the config of integrations and ' +
    'channels, secret headers of components and passwords of status pages can refer to variables'
  const fields = ['spec.components[0].description', 'spec.components[0].headers.X-Whole']
  t.same(
    warnings,
    fields.map((field) => ({ field, message: `${field} ${message}` })),
  )
})

t.test('a document with errors has its warnings too', async (t) => {
  const validation = runToEnd(
    checkDocument({ spec: { components: [{ name: 'API', description: '${PRICE}' }] } }),
  )
  t.match(validation, {
    ok: false,
    textReferences: [{ field: 'spec.components[0].description' }],
  })
})
