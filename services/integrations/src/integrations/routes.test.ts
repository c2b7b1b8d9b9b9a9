/**
 * Credentials of integrations are encrypted at rest and redacted in responses, events and the audit
 * log.
 */
import { integrationOperations, REDACTED } from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { createSealer } from '@status-page/secrets'
import { keyRotationJob } from '@status-page/service'
import { inject, testCaller, testDatabase } from '@status-page/testing'
import t, { type Test } from 'tap'
import {
  FORMER_KEY,
  fakePrometheus,
  logger,
  metricComponent,
  stage,
} from '../integrations.fixture.ts'
import { sealedIntegrationSecrets } from './key-rotation.ts'
import { decryptConfig } from './secrets.ts'

// Keeps the test server running for the whole file; releasing the last database stops it.
await testDatabase(t, { services: [] })

const URL_OUTSIDE = 'https://93.184.215.14/'
const SECRETS = ['api-swordfish', 'app-swordfish', 'pass-swordfish', 'token-swordfish'] as const
const [API_KEY, APP_KEY, PASSWORD, TOKEN] = SECRETS

const bodies = {
  datadog: { site: 'datadoghq.eu', apiKey: API_KEY, appKey: APP_KEY },
  prometheus: { url: URL_OUTSIDE, username: 'ana', password: PASSWORD },
  grafana: { url: URL_OUTSIDE, token: TOKEN, datasourceUid: 'prom-1' },
  newrelic: { accountId: 12345, apiKey: API_KEY },
}

const withIntegrations = async (t: Test) => {
  const staged = await stage(t)
  const ids: Record<string, string> = {}
  for (const [type, config] of Object.entries(bodies)) {
    const created = await staged.create({ name: `My ${type}`, type, config })
    t.equal(created.status, 201, JSON.stringify(created.body))
    ids[type] = created.body.id
  }
  return { ...staged, ids: ids as Record<keyof typeof bodies, string> }
}

t.test('secrets are encrypted at rest and redacted in every reply', async (t) => {
  const { app, caller, ids, sql, read, update, remove } = await withIntegrations(t)
  t.match((await read(ids.datadog)).body, {
    name: 'My datadog',
    isEnabled: true,
    managedByConfig: false,
    lastTestAt: null,
    config: { site: 'datadoghq.eu', apiKey: REDACTED, appKey: REDACTED },
  })
  t.match((await read(ids.newrelic)).body.config, { accountId: 12345, region: 'US' })
  const listed = await inject(app, integrationOperations.list, { caller })
  t.same(
    listed.body.data.map(({ name }: { name: string }) => name),
    ['My datadog', 'My grafana', 'My newrelic', 'My prometheus'],
  )
  await update(ids.grafana, { config: { token: 'another-swordfish' } })
  await remove(ids.grafana)
  const stored = JSON.stringify(await sql`SELECT * FROM integrations.integrations`)
  const published = JSON.stringify(await sql`SELECT payload FROM integrations.outbox`)
  for (const text of [stored, published, JSON.stringify(listed.body)]) t.notMatch(text, 'swordfish')
  const kinds = await sql<{ kind: string; action: string | null }[]>`
    SELECT kind, payload ->> 'action' AS action FROM integrations.outbox ORDER BY seq DESC LIMIT 4`
  t.same(kinds.map(({ kind, action }) => action ?? kind).toSorted(), [
    'integration.delete',
    'integration.deleted',
    'integration.update',
    'integration.updated',
  ])
  const changed = await sql<{ changes: object }[]>`SELECT payload -> 'changes' AS changes
    FROM integrations.outbox WHERE payload ->> 'action' = 'integration.update'`
  t.same(changed[0]?.changes, { secrets: { from: REDACTED, to: REDACTED } })
})

t.test('a secret belongs to its URL: another URL requires it again', async (t) => {
  const { ids, read, update, sql } = await withIntegrations(t)
  const moves = {
    datadog: [{ site: 'datadoghq.com' }, { apiKey: API_KEY, appKey: APP_KEY }],
    prometheus: [{ url: 'https://93.184.215.15/' }, { password: PASSWORD }],
    grafana: [{ url: 'https://93.184.215.15/' }, { token: TOKEN }],
    newrelic: [{ region: 'EU' }, { apiKey: API_KEY }],
  } as const
  for (const [type, [target, secrets]] of Object.entries(moves)) {
    const id = ids[type as keyof typeof bodies]
    const marked = Object.fromEntries(Object.keys(secrets).map((name) => [name, REDACTED]))
    for (const config of [target, { ...target, ...marked }]) {
      t.match(await update(id, { config }), {
        status: 400,
        body: { error: { details: { field: `config.${Object.keys(secrets)[0]}` } } },
      })
    }
    t.equal((await update(id, { config: { ...target, ...secrets } })).status, 200, type)
  }
  const marked = await update(ids.grafana, { config: { token: REDACTED, datasourceUid: 'b' } })
  t.match(marked.body.config, { datasourceUid: 'b', token: REDACTED })
  const version = async () =>
    (await sql`SELECT version FROM integrations.integrations WHERE id = ${ids.grafana}`)[0]?.version
  const before = await version()
  t.same((await update(ids.grafana, { name: 'My grafana' })).body, (await read(ids.grafana)).body)
  t.equal(await version(), before, 'a PATCH without effect changes nothing')
})

t.test('invalid integrations are rejected per field', async (t) => {
  const { create, update, ids } = await withIntegrations(t)
  const refused: [body: object, field: string][] = [
    [{ type: 'zabbix', config: {} }, 'type'],
    [
      { type: 'grafana', config: { ...bodies.grafana, url: 'http://93.184.215.14/' } },
      'config.url',
    ],
    [{ type: 'grafana', config: { ...bodies.grafana, url: 'https://10.0.0.1/' } }, 'config.url'],
    [{ type: 'grafana', config: { ...bodies.grafana, token: REDACTED } }, 'config.token'],
    [{ type: 'datadog', config: { ...bodies.datadog, site: 'evil.example' } }, 'config.site'],
    [{ type: 'datadog', config: { ...bodies.datadog, apiKey: 'a\r\nb' } }, 'config.apiKey'],
    [{ type: 'prometheus', config: { url: URL_OUTSIDE, password: 'p' } }, 'config.username'],
    [{ type: 'newrelic', config: { apiKey: API_KEY, accountId: '1' } }, 'config.accountId'],
  ]
  for (const [body, field] of refused) {
    const { status, body: response } = await create({ name: 'X', ...body })
    t.match({ status, field: response.error?.details?.field }, { status: 400, field }, field)
  }
  t.match(await create({ name: 'My datadog', type: 'datadog', config: bodies.datadog }), {
    status: 409,
    body: { error: { details: { reason: 'duplicate' } } },
  })
  t.equal((await update(ids.grafana, { name: 'My datadog' })).status, 409)
})

t.test('a test returns the kind of failure, never the text of the platform', async (t) => {
  const { create, test, read } = await stage(t)
  const platform = await fakePrometheus(t)
  const config = { url: platform.url, bearerToken: TOKEN }
  const { body: made } = await create({ name: 'P', type: 'prometheus', config })
  t.match((await test(made.id)).body, { success: true, message: 'ok', latencyMs: Number })
  t.match((await read(made.id)).body, { lastTestSuccess: true, lastTestAt: String })
  platform.respond({ status: 401, body: `no ${TOKEN}` })
  const failed = await test(made.id)
  t.match(failed, { status: 200, body: { success: false, message: 'auth_failed' } })
  t.notMatch(JSON.stringify(failed.body), TOKEN)
  await platform.close()
  t.match((await test(made.id)).body, { success: false, message: 'connect_error' })
  t.match((await read(made.id)).body, { lastTestSuccess: false })
})

t.test(
  'an integration in use cannot be deleted, an unused one is deleted with its queries',
  async (t) => {
    const { ids, publishComponent, remove, query } = await withIntegrations(t)
    const id = ids.prometheus
    const { body: made } = await query('create', { id }, { body: { name: 'Q', query: 'up' } })
    t.match(made, { pollingInterval: 60, aggregation: 'last', isEnabled: true, unit: null })
    const queue = metricComponent(id)
    await publishComponent('created', queue, 1)
    t.match(await remove(id), { status: 409, body: { error: { details: { reason: 'in_use' } } } })
    const foreign = { componentId: newId(), name: 'Q', query: 'up' }
    t.equal((await query('create', { id }, { body: foreign })).status, 400)
    const own = { ...foreign, componentId: queue.id }
    const { body: shown } = await query('create', { id }, { body: own })
    t.match(shown, { componentId: queue.id })
    const filtered = await query('list', { id }, { query: { componentId: queue.id } })
    t.equal(filtered.body.meta.total, 1)
    const cleared = { decimalPlaces: null, unit: 'ms', componentId: null }
    const changed = await query('update', { id, queryId: shown.id }, { body: cleared })
    t.match(changed.body, { decimalPlaces: 2, unit: 'ms', componentId: null })
    for (const params of [
      { id: ids.grafana, queryId: made.id },
      { id, queryId: newId() },
    ]) {
      t.equal((await query('read', params)).status, 404)
    }
    t.equal((await query('remove', { id, queryId: shown.id })).status, 200)
    await publishComponent('deleted', queue, 2)
    t.equal((await remove(id)).status, 200)
    t.equal((await query('list', { id })).status, 404)
  },
)

t.test('organizations are isolated, and viewers cannot change anything', async (t) => {
  const { app, ids, caller } = await withIntegrations(t)
  const params = { id: ids.datadog }
  const stranger = testCaller()
  for (const name of ['read', 'remove', 'test'] as const) {
    const response = await inject(app, integrationOperations[name], { caller: stranger, params })
    t.equal(response.status, 404, name)
  }
  const member = testCaller({ organizationId: caller.organizationId, role: 'MEMBER' })
  t.equal((await inject(app, integrationOperations.read, { caller: member, params })).status, 200)
  t.equal((await inject(app, integrationOperations.test, { caller: member, params })).status, 403)
})

t.test('the previous key can be removed: every secret is encrypted with the new key', async (t) => {
  const { database, sql } = await withIntegrations(t)
  const current = 'another key of exactly 32 bytes.'
  const rotating = createSealer({ current, previous: FORMER_KEY })
  const sources = [sealedIntegrationSecrets({ database, sealer: rotating })]
  await keyRotationJob({ sealer: rotating, logger, sources }).run(new AbortController().signal)
  const rows = await sql<Record<string, never>[]>`SELECT id, type, config,
    organization_id AS "organizationId" FROM integrations.integrations`
  const opened = rows.map((row) => decryptConfig(createSealer({ current }), row as never))
  const secrets = opened.flatMap(({ apiKey, appKey, password, token }) =>
    [apiKey, appKey, password, token].filter((secret) => secret != null),
  )
  t.same(secrets.toSorted(), [API_KEY, API_KEY, APP_KEY, PASSWORD, TOKEN].toSorted())
})
