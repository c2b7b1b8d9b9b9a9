/**
 * A metric beyond its threshold changes the status of a component, and an alert becomes an
 * incident. Alert rules and dashboards of the operator use metrics that services export.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  alertIntakeOperations,
  type ComponentStatus,
  componentOperations,
  incidentDraftOperations,
  incidentOperations,
  integrationOperations,
  metricQueryOperations,
  notificationChannelOperations,
  publicOperations,
  services,
  statusPageOperations,
} from '@status-page/contracts'
import { eventually, httpTarget, localCertificate } from '@status-page/testing'
import t from 'tap'
import { parse } from 'yaml'
import { webhookReceiver } from './kit/receivers.ts'
import { register } from './kit/tenant.ts'
import { errorLogsOf, startWorld } from './kit/world.ts'

/** A poll interval of ten seconds, and event handling. */
const NOTICED_WITHIN_MS = 60_000
const TOKEN = 'swordfish-1234567890'
const SLUG = 'figures'

let depth = 1
const platform = await httpTarget(
  t,
  () => {
    const result = [{ metric: {}, value: [Date.now() / 1000, String(depth)] }]
    return { body: JSON.stringify({ status: 'success', data: { resultType: 'vector', result } }) }
  },
  localCertificate(),
)
const world = await startWorld(t, {
  settings: {
    gateway: { METRICS_TOKEN: TOKEN },
  },
})
const hook = await webhookReceiver(t)
const { api } = await register(world.api, SLUG)
await api.call(statusPageOperations.create, {
  body: { name: 'Figures', slug: SLUG, isPublished: true },
})
await api.call(notificationChannelOperations.create, {
  body: { name: 'Hook', type: 'webhook', config: { url: hook.url } },
})
const integration = await api.call(integrationOperations.create, {
  body: {
    name: 'Metrics',
    type: 'prometheus',
    config: { url: platform.url, bearerToken: TOKEN },
  },
})
const params = { id: integration.id }
const component = await api.call(componentOperations.create, {
  body: {
    type: 'METRIC',
    name: 'Queue',
    integrationId: integration.id,
    query: 'queue_depth',
    pollingInterval: 10,
    warningThreshold: 100,
    criticalThreshold: 500,
  },
})
const shows = (status: ComponentStatus) =>
  eventually(
    async () =>
      (await api.call(componentOperations.read, { params: { id: component.id } })).status ===
      status,
    { timeoutMs: NOTICED_WITHIN_MS },
  )
const waitForEvent = (kind: string) =>
  eventually(() => hook.requests.some(({ body }) => JSON.parse(body).event === kind), {
    timeoutMs: NOTICED_WITHIN_MS,
  })

t.test('a metric beyond its threshold is an outage, until the metric is back', async (t) => {
  t.match(await api.call(integrationOperations.test, { params }), { success: true, message: 'ok' })
  const query = await api.call(metricQueryOperations.create, {
    params,
    body: { name: 'Depth', query: 'queue_depth', pollingInterval: 10, criticalThreshold: 500 },
  })
  depth = 501
  await shows('major_outage')
  await waitForEvent('monitor.down')
  const page = await api.call(publicOperations.status, { params: { slug: SLUG } })
  t.match(page.components, [{ name: 'Queue', status: 'major_outage' }])
  const read = () =>
    api.call(metricQueryOperations.read, { params: { ...params, queryId: query.id } })
  await eventually(async () => (await read()).lastStatus === 'critical', {
    timeoutMs: NOTICED_WITHIN_MS,
  })
  const found = await api.call(componentOperations.read, {
    params: { id: component.id },
    query: { include: ['monitors', 'checks'] },
  })
  t.match(found.monitors, [{ kind: 'metric', derivedStatus: 'major_outage' }])
  t.ok(found.checks?.some(({ value, status }) => value === 501 && status === 'FAILURE'))
  depth = 1
  await shows('operational')
  await waitForEvent('monitor.recovered')
  t.equal(
    (await api.call(incidentOperations.list)).meta.total,
    0,
    'METRIC components open no incidents',
  )
})

t.test('an alert drafts an incident, which a person publishes', async (t) => {
  const routes = [
    { matchLabels: { service: 'queue' }, componentIds: [component.id], impact: 'major' as const },
  ]
  const titleTemplate = 'Delays: {{components}}'
  const body = { routes, titleTemplate }
  const intake = await api.call(alertIntakeOperations.replace, { params, body })
  const alert = {
    status: 'firing',
    fingerprint: 'f1',
    startsAt: new Date().toISOString(),
    labels: { service: 'queue' },
    annotations: { summary: 'The queue is long' },
  }
  const post = (token: string) =>
    fetch(intake.webhookUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ alerts: [alert] }),
    })
  t.equal((await post('another-token')).status, 401)
  t.equal((await post(intake.token ?? '')).status, 202)
  const [draft] = await eventually(
    async () => {
      const { data } = await api.call(incidentDraftOperations.list)
      return data.length > 0 ? data : null
    },
    { timeoutMs: NOTICED_WITHIN_MS },
  )
  t.match(draft, { status: 'waiting', title: `Delays: ${component.name}` })
  const before = await api.call(publicOperations.status, { params: { slug: SLUG } })
  t.same(before.activeIncidents, [], 'a draft is on no page')
  const incident = await api.call(incidentDraftOperations.publish, {
    params: { id: draft?.id ?? '' },
    body: {},
  })
  t.match(incident, { title: `Delays: ${component.name}`, impact: 'major' })
  await waitForEvent('incident.created')
  await shows('partial_outage')
})

t.test('every metric of the alert rules and dashboards is exported', async (t) => {
  const exported = new Set(['up'])
  for (const name of services) {
    const response = await fetch(`${world.stack.processes[name].origin}/metrics`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    })
    t.equal(response.status, 200, name)
    for (const [, metric = '', type] of (await response.text()).matchAll(/^# TYPE (\S+) (\S+)/gm)) {
      exported.add(metric)
      if (type === 'gauge' || type === 'counter') continue
      for (const suffix of ['_bucket', '_count', '_sum']) exported.add(`${metric}${suffix}`)
    }
  }
  const used = operatorExpressions().flatMap(metricsOf)
  t.ok(used.length > 0)
  for (const metric of new Set(used)) t.ok(exported.has(metric), metric)
})

t.test('no service logged an error or a secret', async (t) => {
  t.same(errorLogsOf(world), [])
  const rows = await world.admin`SELECT count(*)::int AS count FROM integrations.integrations
    WHERE config::text LIKE ${`%${TOKEN}%`}`
  t.equal(rows[0]?.count, 0)
})

/** Expressions of the alert rules and of the panels of the dashboards. */
function operatorExpressions(): string[] {
  const read = (name: string) =>
    readFileSync(fileURLToPath(new URL(`../infra/monitoring/${name}`, import.meta.url)), 'utf8')
  const rules: { groups: { rules: { expr: string }[] }[] } = parse(read('alerts.yml'))
  const panels = ['dashboard-service.json', 'dashboard-processes.json'].flatMap(
    (name): { targets: { expr: string }[] }[] => JSON.parse(read(name)).panels,
  )
  return [
    ...rules.groups.flatMap((group) => group.rules.map(({ expr }) => expr)),
    ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ]
}

/** Names of the metrics of an expression: identifiers that are neither labels nor functions. */
function metricsOf(expression: string): string[] {
  const bare = expression.replaceAll(/\{[^}]*\}|\b(?:by|without) *\([^)]*\)/g, ' ')
  return [...bare.matchAll(/\b(?:up|[a-z]+(?:_[a-z0-9]+)+)\b(?! *\()/g)].map(([name]) => name)
}
