/** Incoming alerts: authenticated by a token, identified by fingerprint, published to core once. */
import {
  alertHookOperations,
  alertIntakeOperations,
  type ComponentEventData,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { inject, testCaller, testDatabase } from '@status-page/testing'
import t, { type Test } from 'tap'
import { metricComponent, stage } from '../integrations.fixture.ts'
import { alertSignalJobs } from './jobs.ts'

// Keeps the test server running for the whole file; releasing the last database stops it.
await testDatabase(t, { services: [] })

const NEVER = '0001-01-01T00:00:00Z'

const alert = (given: object = {}) => ({
  status: 'firing',
  fingerprint: 'c3a1',
  startsAt: '2026-08-01T09:30:00Z',
  endsAt: NEVER,
  labels: { alertname: 'HighLatency', service: 'api', severity: 'critical' },
  annotations: { summary: 'Latency\nis high', description: 'p99 is 3 s' },
  ...given,
})
/** Payload shape of both senders; Grafana adds fields of its own. */
const post = (...alerts: object[]) =>
  JSON.stringify({ version: '4', receiver: 'status', status: 'firing', title: 'x', alerts })
const postGroup = (groupKey: string, ...alerts: object[]) =>
  JSON.stringify({ version: '4', groupKey, receiver: 'status', status: 'firing', alerts })

const opened = async (t: Test) => {
  const staged = await stage(t)
  const { app, caller, create, publishComponent, sql } = staged
  const config = { url: 'https://93.184.215.14/prometheus' }
  const { body: integration } = await create({ name: 'Metrics', type: 'prometheus', config })
  const api: ComponentEventData = {
    ...metricComponent(integration.id),
    type: 'SERVICE',
    metric: null,
  }
  await publishComponent('created', api, 1)
  const params = { id: integration.id }
  const routes = [
    {
      matchLabels: { service: 'api', severity: 'critical' },
      componentIds: [api.id],
      impact: 'major',
    },
    { matchLabels: { service: 'api' }, componentIds: [api.id], impact: 'minor' },
  ]
  const intake = (name: keyof typeof alertIntakeOperations, body?: unknown) =>
    inject(app, alertIntakeOperations[name], { caller, params, ...(body ? { body } : {}) })
  return {
    ...staged,
    integration,
    api,
    routes,
    intake,
    hook: (token: string | null, body: string, id: string = integration.id) =>
      inject(app, alertHookOperations.alerts, {
        params: { integrationId: id },
        body,
        headers: {
          'content-type': 'application/json',
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        },
      }),
    signals: async () => {
      const rows = await sql<{ payload: { signal: Record<string, unknown> } }[]>`
        SELECT payload FROM integrations.outbox WHERE kind = 'alert-signal.received' ORDER BY seq`
      return rows.map(({ payload }) => payload.signal)
    },
    audited: async () => {
      const rows = await sql<{ text: string; action: string }[]>`
        SELECT payload ->> 'action' AS action, payload::text AS text FROM integrations.outbox
        WHERE kind = 'audit.recorded' ORDER BY seq`
      return {
        actions: rows.map(({ action }) => action),
        text: rows.map(({ text }) => text).join(),
      }
    },
  }
}

t.test('an alert is published once, by the first route that matches its labels', async (t) => {
  const { intake, hook, routes, signals, api, integration } = await opened(t)
  t.equal((await intake('read')).status, 404)
  const { body } = await intake('replace', { routes, publishAfterMinutes: 10 })
  t.match(body, { routes, webhookUrl: `https://status.test/api/v1/hooks/alerts/${integration.id}` })
  const { token } = body

  const other = alert({ fingerprint: 'other', labels: { service: 'shop' } })
  const minor = alert({ fingerprint: 'minor', labels: { service: 'api' }, annotations: {} })
  t.match(await hook(token, post(alert(), other, minor)), { status: 202, body: { accepted: 2 } })
  t.match(await hook(token, post(alert(), minor)), { body: { accepted: 0 } }, 'a repetition')
  const [first, second] = await signals()
  t.match(first, {
    status: 'firing',
    title: 'Latency is high',
    message: 'p99 is 3 s',
    impact: 'major',
    componentIds: [api.id],
    integrationName: 'Metrics',
    publishAfterMinutes: 10,
    startsAt: '2026-08-01T09:30:00.000Z',
    endsAt: null,
  })
  t.match(second, { impact: 'minor', title: 'Alert' })

  const over = alert({ status: 'resolved', endsAt: '2026-08-01T09:40:00Z' })
  t.match(await hook(token, post(over)), { body: { accepted: 1 } })
  t.match(await hook(token, post(over)), { body: { accepted: 0 } })
  t.match(
    await hook(token, post(alert())),
    { body: { accepted: 0 } },
    'delivered late: already resolved',
  )
  const again = alert({ startsAt: '2026-08-02T09:30:00Z' })
  t.match(await hook(token, post(again)), { body: { accepted: 1 } })
  const all = await signals()
  t.match(all[2], { id: first?.id, status: 'resolved', endsAt: '2026-08-01T09:40:00.000Z' })
  t.not(all[3]?.id, first?.id, 'a new firing is a new signal')
})

t.test('a label with an invalid name is rejected instead of dropped from its route', async (t) => {
  const { intake, routes } = await opened(t)
  for (const name of ['9lives', 'with space', 'line\nbreak', '']) {
    const matchLabels = { service: 'api', [name]: 'x' }
    const response = await intake('replace', { routes: [{ ...routes[0], matchLabels }] })
    const field = `routes[0].matchLabels.${name}`
    t.match(response, { status: 400, body: { error: { details: { field } } } })
  }
  t.equal((await intake('read')).status, 404, 'no route is stored')
})

t.test(
  'an alert without repetition for a month is resolved; if it fires later, it is a new one',
  async (t) => {
    const { intake, hook, routes, signals, sql, database } = await opened(t)
    const { token } = (await intake('replace', { routes })).body
    const month = () => sql`UPDATE integrations.alert_signals
    SET updated_at = updated_at - interval '31 days'`
    const end = () =>
      alertSignalJobs(database)
        .find(({ name }) => name === 'end-signals')
        ?.run(new AbortController().signal)
    await hook(token, post(alert(), alert({ fingerprint: 'silent' })))
    await month()
    t.match(await hook(token, post(alert())), { body: { accepted: 0 } }, 'it is still firing')
    t.equal(await end(), 1)
    t.equal(await end(), 0)
    const [, silent, over, ...others] = await signals()
    t.match(over, { id: silent?.id, status: 'resolved' })
    t.same(others, [])
    t.match(await hook(token, post(alert({ fingerprint: 'silent' }))), { body: { accepted: 1 } })
    t.not((await signals()).at(-1)?.id, silent?.id)
  },
)

t.test('a group of alerts is one signal, which grows and resolves as a whole', async (t) => {
  const { intake, hook, signals, api, publishComponent, integration } = await opened(t)
  const db = { ...api, id: newId() }
  await publishComponent('created', db, 1)
  const routes = [
    { matchLabels: { service: 'api' }, componentIds: [api.id], impact: 'minor' },
    { matchLabels: { service: 'db' }, componentIds: [db.id, api.id], impact: 'critical' },
  ]
  const templates = { titleTemplate: '{{labels.team}} {{labels.service}}', autoResolve: true }
  const { token } = (await intake('replace', { routes, ...templates })).body
  const of = (fingerprint: string, service: string, given: object = {}) =>
    alert({ fingerprint, labels: { service, team: 'Core', alertname: fingerprint }, ...given })
  const over = { status: 'resolved', endsAt: '2026-08-01T09:40:00Z' }
  const accepts = async (body: string, accepted: number) =>
    t.match(await hook(token, body), { status: 202, body: { accepted } })

  await accepts(postGroup('g', of('a', 'api'), of('b', 'api'), of('x', 'shop')), 2)
  await accepts(postGroup('g', of('a', 'api'), of('b', 'api')), 0)
  await accepts(postGroup('g', of('a', 'api'), of('c', 'api')), 1)
  t.equal((await signals()).length, 1, 'one problem')
  t.match((await signals())[0], {
    status: 'firing',
    impact: 'minor',
    componentIds: [api.id],
    autoResolve: true,
    labels: { team: 'Core', service: 'api' },
  })
  await accepts(postGroup('g', of('d', 'db')), 1)
  await accepts(postGroup('other', of('a', 'api')), 1)
  const [first, grown, other] = await signals()
  t.match(grown, { id: first?.id, impact: 'critical', componentIds: [api.id, db.id] })
  t.not(other?.id, first?.id, 'another group')

  await accepts(postGroup('g', of('a', 'api', over), of('b', 'api', over), of('c', 'api', over)), 3)
  t.equal((await signals()).length, 3, 'one of its alerts is firing')
  await accepts(postGroup('g', of('d', 'db', over)), 1)
  await accepts(postGroup('g', of('d', 'db', over)), 0)
  const all = await signals()
  t.equal(all.length, 4)
  t.match(all[3], { id: first?.id, status: 'resolved', endsAt: '2026-08-01T09:40:00.000Z' })
  await accepts(postGroup('g', of('a', 'api', { startsAt: '2026-08-02T09:30:00Z' })), 1)
  t.match((await signals())[4], { status: 'firing', impact: 'minor', componentIds: [api.id] })
  t.not((await signals())[4]?.id, first?.id, 'a new problem')
  t.equal((await signals())[0]?.integrationId, integration.id)
})

t.test('templates are validated when they are saved', async (t) => {
  const { intake } = await opened(t)
  const cases: [field: string, template: string, message: RegExp][] = [
    ['titleTemplate', 'On {{host}}', /unknown placeholder "host"/],
    ['titleTemplate', '{{labels.}}', /unknown placeholder/],
    ['messageTemplate', '{{impact}}'.repeat(21), /at most 20/],
    ['titleTemplate', 'a\nb', /titleTemplate/],
    ['titleTemplate', 'x'.repeat(256), /titleTemplate/],
  ]
  for (const [field, template, message] of cases) {
    t.match(await intake('replace', { [field]: template }), {
      status: 400,
      body: { error: { message, details: { field } } },
    })
  }
  const made = await intake('replace', {})
  t.match(made.body, {
    titleTemplate: 'Problem with {{components}}',
    messageTemplate: '',
    autoResolve: false,
  })
})

t.test('a request of 1 MiB blocks the event loop for the parsing of its text only', async (t) => {
  const { intake, hook, routes, signals } = await opened(t)
  const { token } = (await intake('replace', { routes })).body
  const text = '\u200b😀'.repeat(120_000)
  const long = alert({ annotations: { summary: text, description: 'short' } })
  t.match(await hook(token, post(long)), { body: { accepted: 1 } })
  t.equal([...String((await signals())[0]?.title)].length <= 255, true)
  const keys = Array.from({ length: 60_000 }, (_, at) => `{"${at.toString(36)}":1}`)
  t.match(await hook(token, `{"alerts":[],"x":[${keys.join()}]}`), {
    status: 400,
    body: { error: { message: /too many steps/ } },
  })
})

t.test('only the token authenticates, and only its digest is stored', async (t) => {
  const { intake, hook, routes, sql, integration, audited, remove } = await opened(t)
  const { body: made } = await intake('replace', { routes })
  const { token } = made
  t.equal((await intake('replace', { routes: [] })).body.token, undefined, 'shown once')
  t.equal((await intake('read')).body.token, undefined)
  const refused = await hook(null, post())
  t.match(refused, { status: 401 })
  for (const [wrong, id] of [
    ['x', undefined],
    [`${token}x`, undefined],
    [token, newId()],
    [token, 'no-id'],
  ] as const) {
    t.same((await hook(wrong, post(), id)).body, refused.body, 'the same reply for all')
  }
  for (const body of ['', '[]', '{}', '{"alerts":{}}', '{"alerts":[{}]}']) {
    t.equal((await hook(token, body)).status, 400, body)
  }
  const { body: rotated } = await intake('rotateToken')
  t.not(rotated.token, token)
  for (const good of [token, rotated.token]) t.equal((await hook(good, post())).status, 202)
  await sql`UPDATE integrations.alert_intakes SET previous_token_until = now()`
  t.equal((await hook(token, post())).status, 401, 'after a day')

  const stored = JSON.stringify(await sql`SELECT * FROM integrations.alert_intakes`)
  const { actions, text } = await audited()
  for (const secret of [token, rotated.token]) {
    t.notMatch(stored, secret)
    t.notMatch(text, secret)
  }
  t.same(actions.slice(-3), ['alert_intake.create', 'alert_intake.update', 'alert_intake.update'])
  t.equal((await intake('remove')).status, 200)
  t.equal((await hook(rotated.token, post())).status, 401)
  await intake('replace', { routes: [] })
  t.equal((await remove(integration.id)).status, 200, 'an intake does not count as a use')
})

t.test('an intake accepts own components only and requires write permission', async (t) => {
  const { intake, app, caller, api, integration } = await opened(t)
  const route = (componentIds: string[]) => ({ matchLabels: {}, componentIds, impact: 'minor' })
  t.match(await intake('replace', { routes: [route([api.id]), route([newId()])] }), {
    status: 400,
    body: { error: { details: { field: 'routes[1].componentIds[0]' } } },
  })
  const params = { id: integration.id }
  const { organizationId } = caller
  const viewer = testCaller({ organizationId, role: 'VIEWER' })
  const put = alertIntakeOperations.replace
  t.equal((await inject(app, put, { caller: viewer, params, body: {} })).status, 403)
  t.equal((await inject(app, put, { caller: testCaller(), params, body: {} })).status, 404)
})
