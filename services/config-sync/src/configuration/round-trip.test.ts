// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of documents look so
/**
 * Round trip of any configuration: an export that is applied changes nothing, and an applied
 * document is exported as written.
 */
import { type IntegrationType, integrationSecrets } from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { runToEnd, textFormats } from '@status-page/service'
import fc from 'fast-check'
import t from 'tap'
import { sections } from './definitions/sections.ts'
import { checkDocument, type DesiredDocument } from './document/document.ts'
import { defaultsOfFields, fieldsOfType } from './document/schema.ts'
import { readYaml } from './document/yaml-reading.ts'
import { writeYaml } from './document/yaml-writing.ts'
import { exportDocumentValues, type LastDocument } from './export.ts'
import { liveOf } from './plan/live.fixture.ts'
import type { LiveComponent, LiveConfiguration, LiveIntegration } from './plan/live.ts'
import { planChanges } from './plan/plan.ts'
import type { ConfigurationPlan } from './plan/planning.ts'

const RUNS = { numRuns: 150, includeErrorInReport: true }

/** Texts that some YAML parsers read as another type. */
const tricky = fc.constantFrom(
  ...['no', 'yes', '~', 'null', 'true', '1e3', '0x1F', '0o14', '12:30', '- x', '# y', ': z', '{a}'],
  ...[
    '[b]',
    '&c',
    '*d',
    '!e',
    '| f',
    '> g',
    '%h',
    '@i',
    '`j',
    "'k",
    '"l',
    '<<',
    '=',
    '...',
    '---',
    ' m ',
  ],
  ...['2026-08-01', '.inf', '${NAME}', 'é ü 漢', '\u{1F600}', 'a: b # c', '?', '-'],
)

const canonical = textFormats['one-line']?.canonical as (text: string) => string
const line = fc
  .oneof(tricky, fc.string({ unit: 'grapheme', maxLength: 20 }))
  .map((text) => canonical(text))
  .filter(
    (text) => text.isWellFormed() && textFormats['one-line']?.accepts(text) === true && text !== '',
  )
const longText = fc
  .oneof(
    line,
    fc.array(line, { maxLength: 4 }).map((lines) => lines.join('\n')),
  )
  .map((text) => `${text}\n`.slice(0, 400))
  .filter((text) => textFormats['long-text']?.accepts(text) === true && text.isWellFormed())

const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 })
const withoutUndefined = <Value extends object>(value: Value): Value =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Value

const bool = fc.boolean()

const common = {
  description: maybe(fc.option(longText)),
  isEnabled: maybe(bool),
  isMuted: maybe(bool),
  showIconOnStatusPage: maybe(bool),
  order: maybe(fc.integer({ min: 0, max: 1_000_000 })),
  status: maybe(fc.constantFrom('operational', 'major_outage')),
  icon: maybe(fc.constantFrom('https://a.example/icon.png', 'https://A.example', null)),
}

const headers = fc.dictionary(
  fc.constantFrom('Accept', 'X-Custom', 'x-other.one'),
  fc.constantFrom('no', 'text/html', '${NAME}', '1e3', ''),
)
const secretHeaders = fc.dictionary(fc.constantFrom('X-Token', 'Cookie'), fc.constant('${SECRET}'))

const endpoint = {
  url: fc.constantFrom('https://a.example', 'http://B.example:8080/x?y=%20#z'),
  method: maybe(fc.constantFrom('GET', 'POST')),
  headers: maybe(fc.tuple(headers, secretHeaders).map(([some, more]) => ({ ...some, ...more }))),
  body: maybe(fc.option(longText)),
  checkInterval: maybe(fc.integer({ min: 60, max: 86_400 })),
  conditions: maybe(
    fc.array(
      fc.record({
        type: fc.constant('STATUS_CODE'),
        comparator: fc.constantFrom('EQUALS', 'LESS_THAN'),
        target: fc.integer({ min: 100, max: 599 }).map(String),
      }),
      { maxLength: 3 },
    ),
  ),
  locationQuorum: maybe(fc.constantFrom(null, 1)),
}
const service = {
  upstream: maybe(
    fc.option(
      fc
        .record({
          url: fc.constantFrom('https://status.example', 'http://A.example/feed.rss?x=%20#y'),
          component: maybe(fc.option(line)),
          mode: maybe(fc.constantFrom('mirror', 'draft', 'note')),
        })
        .map((upstream) => withoutUndefined(upstream)),
    ),
  ),
}
const metric = {
  query: line,
  pollingInterval: maybe(fc.integer({ min: 10, max: 86_400 })),
  criticalThreshold: maybe(
    fc.option(
      fc
        .double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 })
        .map((value) => value || 0),
    ),
  ),
}

const config: Record<IntegrationType, fc.Arbitrary<object>> = {
  datadog: fc.record({
    apiKey: fc.constant('${SECRET}'),
    appKey: fc.constant('${SECRET}'),
    site: maybe(fc.constantFrom('datadoghq.com', 'datadoghq.eu')),
  }),
  prometheus: fc.record({
    url: fc.constant('https://p.example'),
    // A reference is resolved in this field, and an unknown variable is an issue.
    username: maybe(line.filter((text) => text !== '${NAME}')),
  }),
  grafana: fc.record({
    url: fc.constant('https://g.example/'),
    token: fc.constant('${SECRET}'),
    datasourceUid: fc.constant('abc'),
  }),
  newrelic: fc.record({
    accountId: fc.constantFrom(7, '${NUMBER}'),
    apiKey: fc.constant('${SECRET}'),
    region: maybe(fc.constantFrom('US', 'EU')),
  }),
}

const variables = new Map([
  ['SECRET', 's3cret'],
  ['NUMBER', '42'],
])

/** Dependencies of a component on another one; `first` and `group` are names, if they exist. */
const dependsOnFields = (kind: string | undefined, first?: string, group?: string): object => {
  if (kind === undefined) return {}
  const names = { none: [], first: [first], group: [first, group] }[kind] ?? []
  return { dependsOn: names.filter((name) => name !== undefined) }
}

/** Values of a document with unique names and arbitrary fields. */
const documentValues = fc
  .record({
    groups: fc.array(fc.tuple(line, fc.record(common)), { maxLength: 3 }),
    integrations: fc.array(
      fc
        .constantFrom(...(Object.keys(config) as IntegrationType[]))
        .chain((type) =>
          fc.record({ type: fc.constant(type), config: config[type], isEnabled: maybe(bool) }),
        ),
      { maxLength: 2 },
    ),
    components: fc.array(
      fc.oneof(
        fc.record({ type: fc.constant('SERVICE'), ...common, ...service }),
        fc.record({ type: fc.constant('ENDPOINT'), ...common, ...endpoint }),
        fc.record({ type: fc.constant('METRIC'), ...common, ...metric }),
      ),
      { maxLength: 5 },
    ),
    name: line,
    inGroup: fc.boolean(),
    dependsOn: fc.constantFrom(undefined, 'none', 'first', 'group'),
  })
  .map(({ groups, integrations, components, name, inGroup, dependsOn }) => {
    const groupNames = groups.map(([text], index) => `${text}${index}`)
    const named = integrations.map((one, index) => ({
      ...withoutUndefined(one),
      name: `I${index}`,
      config: withoutUndefined(one.config),
    }))
    return {
      apiVersion: 'v1',
      kind: 'StatusPageConfig',
      metadata: { name, configVersion: '1' },
      spec: {
        componentGroups: groups.map(([, fields], index) => ({
          name: groupNames[index],
          ...withoutUndefined(fields),
        })),
        integrations: named,
        components: components
          .filter(({ type }) => type !== 'METRIC' || named.length > 0)
          .map((fields, index) => ({
            name: `C${index}`,
            ...withoutUndefined(fields),
            ...(fields.type === 'METRIC' ? { integration: 'I0' } : {}),
            ...(inGroup && groupNames[0] !== undefined ? { group: groupNames[0] } : {}),
            ...dependsOnFields(dependsOn, index === 0 ? undefined : 'C0', groupNames[0]),
          })),
      },
    }
  })

const desiredOf = (values: unknown): DesiredDocument => {
  const checked = runToEnd(checkDocument(values))
  if (!checked.ok) throw new Error(JSON.stringify(checked.issues))
  return checked.document
}

const planOf = (document: DesiredDocument, live: LiveConfiguration): ConfigurationPlan =>
  runToEnd(
    planChanges({
      document,
      live,
      variables,
      newId,
      isPruning: false,
      formerGroups: new Set<string>(),
    }),
  )

/** Live state after a plan. */
const comeTrue = ({ components, integrations }: ConfigurationPlan): LiveConfiguration => ({
  ...liveOf(),
  components: components.create.map(({ id, value }): LiveComponent => {
    const { name, type, parentComponentId, dependsOn, integrationId, ...fields } = value
    const own = fieldsOfType[type as LiveComponent['type']].filter((field) => field !== 'status')
    return {
      id,
      version: 1,
      isManaged: true,
      name: String(name),
      type: type as 'SERVICE',
      parentId: (parentComponentId ?? null) as null,
      dependencyIds: (dependsOn ?? []) as string[],
      integrationId: (integrationId ?? null) as null,
      fields: Object.fromEntries(own.map((one) => [one, fields[one] ?? defaultsOfFields[one]])),
    }
  }),
  integrations: integrations.create.map(({ id, value }): LiveIntegration => {
    const { name, type, isEnabled = true, config } = value
    const site = type === 'datadog' ? { site: config.site ?? 'datadoghq.com' } : {}
    const region = type === 'newrelic' ? { region: config.region ?? 'US' } : {}
    const all = { username: null, password: null, bearerToken: null, ...config, ...site, ...region }
    return { id, version: 1, isManaged: true, name, type, isEnabled, config: all }
  }),
})

const exported = (
  live: LiveConfiguration,
  last: LastDocument | null,
  base: string | null,
): unknown => {
  const { values, warnings } = runToEnd(
    exportDocumentValues({ live, last, variables, included: sections, name: 'x' }),
  )
  const text = writeYaml({ base, values, warnings })
  const reading = readYaml(text)
  if (!reading.ok) throw new Error(`${JSON.stringify(reading.problems)}\n${text}`)
  return reading.value
}

const assertUnchanged = (values: unknown, live: LiveConfiguration): void => {
  const { summary, issues, unknown } = planOf(desiredOf(values), live)
  const { created, updated, deleted } = summary
  const changes = { created, updated, deleted, issues, unknown }
  if (Object.values(changes).some((list) => list.length > 0)) {
    throw new Error(JSON.stringify({ changes, values }))
  }
}

/** Nested components and one repeated name: a document can express neither. */
const nested = ({ components, integrations }: LiveConfiguration): LiveConfiguration => {
  const [first] = components
  const twin = first === undefined ? [] : [{ ...first, id: 'twin', parentId: null }]
  return {
    ...liveOf(),
    integrations,
    components: [
      ...components.map((one, index) => ({ ...one, parentId: components[index - 1]?.id ?? null })),
      ...twin,
    ],
  }
}

t.test('the export of an applied document equals it and changes nothing', (t) => {
  const property = fc.property(documentValues, (values) => {
    const text = writeYaml({ base: null, values, warnings: [] })
    const document = desiredOf(values)
    const live = comeTrue(planOf(document, liveOf()))
    const back = exported(live, { values, document }, text)
    if (JSON.stringify(back) !== JSON.stringify(values)) {
      throw new Error(`${JSON.stringify(back)}\n${JSON.stringify(values)}`)
    }
    assertUnchanged(back, live)
  })
  t.doesNotThrow(() => fc.assert(property, RUNS))
  t.end()
})

t.test('the export of any live state changes nothing when it is applied', (t) => {
  const property = fc.property(documentValues, documentValues, bool, (values, other, isKnown) => {
    const document = desiredOf(values)
    const live = comeTrue(planOf(document, liveOf()))
    const last = isKnown ? { values: other, document: desiredOf(other) } : null
    const base = isKnown ? writeYaml({ base: null, values: other, warnings: [] }) : null
    assertUnchanged(exported(nested(live), last, base), nested(live))
  })
  t.doesNotThrow(() => fc.assert(property, RUNS))
  t.end()
})

t.test('no export contains a secret', (t) => {
  const property = fc.property(documentValues, (values) => {
    const live = comeTrue(planOf(desiredOf(values), liveOf()))
    const shown = JSON.stringify(exported(live, null, null))
    const secrets = live.integrations.flatMap(({ type }) => integrationSecrets[type])
    if (shown.includes('s3cret')) throw new Error(`${shown} ${secrets.join()}`)
  })
  t.doesNotThrow(() => fc.assert(property, RUNS))
  t.end()
})
