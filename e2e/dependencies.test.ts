/**
 * A host with 30 endpoints that depend on it: its outage opens one incident and sends one message
 * per destination; the endpoints that stay down after it share another incident.
 */
import {
  componentOperations,
  configurationOperations,
  fullPath,
  incidentOperations,
  notificationChannelOperations,
  publicOperations,
  statusPageOperations,
  subscriberOperations,
} from '@status-page/contracts'
import { eventually, httpTarget } from '@status-page/testing'
import t from 'tap'
import { mailsTo } from './kit/receivers.ts'
import { register } from './kit/tenant.ts'
import { errorLogsOf, startWorld } from './kit/world.ts'

const ENDPOINTS = 30
/** Endpoints that stay down after the host has recovered. */
const DEAD = 2
const READER = 'reader@dependencies.test'
/** Subscriber to one of the endpoints alone. */
const ENDPOINT_READER = 'endpoint@dependencies.test'
const SLUG = 'dependencies'
/** One interval of checks, the time for which a decision is held, and event handling. */
const WITHIN_MS = 90_000

const world = await startWorld(t)
const { api } = await register(world.api, SLUG)
const hook = await httpTarget(t, { body: 'ok' })

/** Paths that respond with an error; all of them do while the host is down. */
const dead = new Set<string>()
let isHostDown = false
const endpoints = await httpTarget(t, ({ url }) => ({
  status: isHostDown || dead.has(url) ? 503 : 200,
}))

const check = {
  type: 'ENDPOINT',
  checkInterval: 10,
  timeout: 2_000,
  failureThreshold: 1,
  recoveryThreshold: 1,
  autoCreateIncident: true,
  conditions: [{ type: 'STATUS_CODE', comparator: 'EQUALS', target: '200' }],
}
const document = {
  apiVersion: 'v1',
  kind: 'StatusPageConfig',
  metadata: { name: 'dependencies', configVersion: '1' },
  spec: {
    components: [
      ...Array.from({ length: ENDPOINTS }, (_none, index) => ({
        ...check,
        name: `Endpoint ${index}`,
        url: `${endpoints.url}/${index}`,
        dependsOn: ['Host'],
      })),
      { ...check, name: 'Host', url: `${endpoints.url}/host` },
    ],
  },
}
const apply = async () => {
  const { text } = await api.send('POST', fullPath(configurationOperations.apply), {
    headers: { 'content-type': 'application/yaml' },
    body: JSON.stringify(document),
  })
  return JSON.parse(text)
}
const incidents = async () =>
  (await api.call(incidentOperations.list, { query: { sortBy: 'createdAt', sortOrder: 'asc' } }))
    .data
const downCount = async () => {
  const query = { status: 'major_outage', pageSize: 1 } as const
  return (await api.call(componentOperations.list, { query })).meta.total
}
const received = () => hook.requests.map(({ body }) => JSON.parse(body) as { event: string })
const isAfter = (work: () => Promise<boolean>) => eventually(work, { timeoutMs: WITHIN_MS })

t.test('a document names the dependencies, and a second apply changes nothing', async (t) => {
  t.match(await apply(), { created: { length: ENDPOINTS + 1 } })
  const unchanged = { created: [], updated: [], unchanged: ENDPOINTS + 1 }
  t.match(await apply(), unchanged)
  const { data: hosts } = await api.call(componentOperations.list, { query: { search: 'Host' } })
  const params = { id: hosts[0]?.id ?? '' }
  const { meta } = await api.call(componentOperations.impact, { params })
  t.equal(meta.total, ENDPOINTS)
  await api.call(statusPageOperations.create, {
    body: { name: 'Dependencies', slug: SLUG, isPublished: true },
  })
  await api.call(subscriberOperations.create, { body: { type: 'email', email: READER } })
  const query = { search: 'Endpoint 0' }
  const { data: endpoints } = await api.call(componentOperations.list, { query })
  const componentIds = endpoints.map(({ id }) => id)
  await api.call(subscriberOperations.create, {
    body: { type: 'email', email: ENDPOINT_READER, componentIds },
  })
  await api.call(notificationChannelOperations.create, {
    body: {
      name: 'Monitors',
      type: 'webhook',
      events: ['monitor.down', 'monitor.recovered'],
      config: { url: hook.url },
    },
  })
})

t.test('the outage of the host is one incident and one message per destination', async (t) => {
  isHostDown = true
  await isAfter(async () => (await downCount()) === ENDPOINTS + 1)
  await isAfter(async () => (await incidents())[0]?.components.length === ENDPOINTS + 1)
  t.match(await incidents(), [{ title: 'Host is down', status: 'investigating' }])
  t.equal((await incidents()).length, 1)
  await isAfter(async () => received().length > 0 && mailsTo(world.smtp, READER).length > 0)
  await isAfter(async () => mailsTo(world.smtp, ENDPOINT_READER).length > 0)
  t.match(received(), [{ event: 'monitor.down' }])
  t.equal(mailsTo(world.smtp, READER).length, 1)
  t.equal(mailsTo(world.smtp, ENDPOINT_READER).length, 1)
  const { components } = await world.api.call(publicOperations.status, { params: { slug: SLUG } })
  const causes = components.flatMap(({ causedBy }) => causedBy?.name ?? [])
  t.same(
    causes,
    Array.from({ length: ENDPOINTS }, () => 'Host'),
  )
})

t.test('two endpoints that stay down share an incident, dated back', async (t) => {
  for (let index = 0; index < DEAD; index++) dead.add(`/${index}`)
  isHostDown = false
  await isAfter(async () => (await incidents()).length === 2)
  await isAfter(async () => (await downCount()) === DEAD)
  const [first, second, ...others] = await incidents()
  t.same(others, [])
  t.match(first, { status: 'resolved', autoResolved: true })
  t.match(second, {
    title: /^Endpoint [01] and Endpoint [01] are down$/,
    status: 'investigating',
    components: { length: DEAD },
  })
  t.ok((second?.startedAt ?? '') < (first?.resolvedAt ?? ''), 'it began during the first')
  await isAfter(async () => received().length === 2 + DEAD)
  await isAfter(async () => mailsTo(world.smtp, READER).length === 3)
  const kinds = received().map(({ event }) => event)
  t.same(kinds.toSorted(), [
    ...Array.from({ length: 1 + DEAD }, () => 'monitor.down'),
    'monitor.recovered',
  ])
  t.same(errorLogsOf(world), [])
})
