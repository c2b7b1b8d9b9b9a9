/** The Helm chart renders with few and with all values, and refuses wrong ones; needs helm. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type ServiceName, services } from '@status-page/contracts'
import t from 'tap'
import { parseAllDocuments } from 'yaml'

interface Manifest {
  kind: string
  metadata: { name: string; annotations?: Record<string, string> }
  spec: {
    template: { spec: { terminationGracePeriodSeconds: number; containers: Container[] } }
    egress?: { ports?: { port: number | string }[] }[]
  }
}
interface Container {
  name: string
  args: string[]
  lifecycle?: { preStop: { sleep: { seconds: number } } }
  env: { name: string; value?: string; valueFrom?: { secretKeyRef: { key: string } } }[]
}

const chart = fileURLToPath(new URL('.', import.meta.url))
const hasHelm = spawnSync('helm', ['version']).status === 0
const skip = hasHelm ? false : 'this machine has no helm'

const required = {
  'secrets.existingSecret': 'status-page',
  'database.host': 'postgres',
  'database.admin.existingSecret': 'administrator',
  'nats.host': 'nats',
}
const everything = {
  ...required,
  'ingress.enabled': 'true',
  'httpRoute.enabled': 'true',
  'httpRoute.parentRefs[0].name': 'public',
  'serviceMonitor.enabled': 'true',
  'prometheusRule.enabled': 'true',
  'dashboards.enabled': 'true',
  'metricsToken.existingSecret': 'metrics',
  ...Object.fromEntries(services.map((name) => [`services.${name}.autoscaling.enabled`, 'true'])),
}

function render(values: Record<string, string>) {
  const settings = Object.entries(values).flatMap(([key, value]) => ['--set', `${key}=${value}`])
  return spawnSync('helm', ['template', 'rel', chart, ...settings], { encoding: 'utf8' })
}

function manifestsOf(values: Record<string, string>): Manifest[] {
  return parseAllDocuments(render(values).stdout)
    .map((document): Manifest | null => document.toJS())
    .filter((manifest) => manifest !== null)
}

t.test('helm accepts the chart', { skip }, async (t) => {
  const settings = Object.entries(everything).flatMap(([key, value]) => [
    '--set',
    `${key}=${value}`,
  ])
  const { status, stdout } = spawnSync('helm', ['lint', '--strict', chart, ...settings], {
    encoding: 'utf8',
  })
  t.equal(status, 0, stdout)
})

t.test('every service has a deployment, a budget and a network policy', { skip }, async (t) => {
  const manifests = manifestsOf(required)
  const namesOf = (kind: string) =>
    manifests.filter((manifest) => manifest.kind === kind).map(({ metadata }) => metadata.name)
  const expected = services.map((name) => `rel-status-page-${name}`).sort()
  for (const kind of ['Deployment', 'Service', 'PodDisruptionBudget']) {
    t.same(namesOf(kind).sort(), expected, kind)
  }
  for (const name of expected) t.ok(namesOf('NetworkPolicy').includes(name), name)
  const job = manifests.find(({ kind }) => kind === 'Job')
  t.equal(job?.metadata.annotations?.['helm.sh/hook'], 'pre-install,pre-upgrade')
})

t.test('all values together render each optional object', { skip }, async (t) => {
  const kinds = new Set(manifestsOf(everything).map(({ kind }) => kind))
  for (const kind of [
    'HorizontalPodAutoscaler',
    'Ingress',
    'HTTPRoute',
    'ServiceMonitor',
    'PrometheusRule',
    'ConfigMap',
  ]) {
    t.ok(kinds.has(kind), kind)
  }
})

t.test(
  'each service receives the settings that it requires, and no more keys',
  { skip },
  async (t) => {
    for (const { kind, spec } of manifestsOf(required)) {
      if (kind !== 'Deployment') continue
      const [container] = spec.template.spec.containers
      const name = container?.name as ServiceName
      const { config } = await import(`../../services/${name}/src/config.ts`)
      const given = container?.env.map((entry) => entry.name) ?? []
      for (const setting of (config.required ?? []) as string[]) {
        if ('default' in config.properties[setting]) continue
        t.ok(given.includes(setting), `${name} receives ${setting}`)
      }
      const helpers = ['DATABASE_PASSWORD', 'NATS_PASSWORD']
      for (const setting of given.filter((entry) => !helpers.includes(entry))) {
        t.ok(setting in config.properties, `${name} knows ${setting}`)
      }
      const calls = ['gateway', 'core', 'config-sync'].includes(name)
      t.equal(given.includes('CALLER_PRIVATE_KEY'), calls, name)
      t.equal(given.includes('SESSION_SECRET'), name === 'gateway', name)
    }
  },
)

t.test('services send traces to the collector, which the policies allow', { skip }, async (t) => {
  const endpoint = 'http://collector.tracing:4318'
  const traced = { ...required, 'tracing.endpoint': endpoint, 'tracing.sampleRatio': '0.5' }
  const manifests = manifestsOf(traced)
  for (const { kind, spec, metadata } of manifests) {
    if (kind === 'Deployment') {
      const [container] = spec.template.spec.containers
      const settingOf = (name: string) => container?.env.find((entry) => entry.name === name)?.value
      t.equal(settingOf('OTEL_EXPORTER_OTLP_ENDPOINT'), endpoint)
      t.equal(settingOf('OTEL_TRACES_SAMPLER_ARG'), '0.5')
    } else if (kind === 'NetworkPolicy') {
      const isService = !/-(?:migrate|test)$/.test(metadata.name)
      const ports = spec.egress?.flatMap((rule) => rule.ports ?? []) ?? []
      t.equal(
        ports.some(({ port }) => port === 4318),
        isService,
        metadata.name,
      )
    }
  }
})

t.test('a pod serves requests while it is removed from its service', { skip }, async (t) => {
  for (const [seconds, preStop] of [
    [0, undefined],
    [20, { sleep: { seconds: 20 } }],
  ] as const) {
    const manifests = manifestsOf({ ...required, preStopSeconds: String(seconds) })
    const deployments = manifests.filter(({ kind }) => kind === 'Deployment')
    t.equal(deployments.length, services.length)
    for (const { spec, metadata } of deployments) {
      const { containers, terminationGracePeriodSeconds } = spec.template.spec
      t.same(containers[0]?.lifecycle?.preStop, preStop, metadata.name)
      t.equal(terminationGracePeriodSeconds, 60 + seconds, metadata.name)
    }
  }
})

t.test('hosts with ports of their own are dialled and allowed', { skip }, async (t) => {
  const manifests = manifestsOf({
    ...required,
    'database.host': 'pooler:6432',
    'database.directHost': 'one:5432\\,two:5433',
    'nats.host': 'n1:4222\\,n2:4223',
  })
  t.not(manifests.length, 0)
  for (const { kind, metadata, spec } of manifests) {
    if (kind === 'Deployment') {
      const [container] = spec.template.spec.containers
      const hostsOf = (name: string) =>
        container?.env.find((entry) => entry.name === name)?.value?.match(/@([^/]+)/)?.[1]
      t.equal(hostsOf('DATABASE_URL'), 'pooler:6432')
      t.equal(hostsOf('DATABASE_DIRECT_URL'), 'one:5432,two:5433')
      t.equal(hostsOf('NATS_URL'), 'n1:4222,n2:4223')
    } else if (kind === 'NetworkPolicy') {
      const isService = !/-(?:migrate|test)$/.test(metadata.name)
      const ports = spec.egress?.flatMap((rule) => rule.ports ?? []).map(({ port }) => port) ?? []
      for (const port of [6432, 5432, 5433]) {
        t.equal(ports.includes(port), !metadata.name.endsWith('-test'), metadata.name)
      }
      for (const port of [4222, 4223]) t.equal(ports.includes(port), isService, metadata.name)
    }
  }
})

const refused: [string, Record<string, string>, RegExp][] = [
  ['a missing secret', { 'secrets.existingSecret': '' }, /secrets\.existingSecret is required/],
  ['a missing database', { 'database.host': '' }, /database\.host is required/],
  ['an unknown value', { replicas: '2' }, /'replicas' not allowed/],
  ['a text as a number', { 'services.core.replicas': 'many' }, /got string, want integer/],
  ['an address that is no URL', { baseUrl: 'status' }, /'\/baseUrl'/],
  ['a collector without a port', { 'tracing.endpoint': 'http://otel' }, /'\/tracing\/endpoint'/],
  ['a short digest', { 'image.digest': 'sha256:abc' }, /'\/image\/digest'/],
]
for (const [what, values, message] of refused) {
  t.test(`helm refuses ${what}`, { skip }, async (t) => {
    const { status, stderr } = render({ ...required, ...values })
    t.not(status, 0)
    t.match(stderr, message)
  })
}
