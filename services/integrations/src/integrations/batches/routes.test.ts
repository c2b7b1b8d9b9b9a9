/** Batches of config-sync on a real database: all or nothing, at most once, and exact undo. */
import {
  integrationBatchOperations as batches,
  type IntegrationBatch,
  integrationOperations as integrations,
  REDACTED,
} from '@status-page/contracts'
import { outboundPolicy } from '@status-page/outbound'
import { connect, newId } from '@status-page/postgres'
import { createSealer, integrationEncryptionContext } from '@status-page/secrets'
import { serve } from '@status-page/service'
import {
  assertTenantCatalogue,
  inject,
  testCaller,
  testDatabase,
  testKeys,
} from '@status-page/testing'
import t from 'tap'
import { integrationRoutes } from '../routes.ts'
import { integrationBatchRoutes } from './routes.ts'

const databases = await testDatabase(t, { services: ['integrations'] })
const database = await databases.database('integrations')
const admin = await connect({ url: databases.adminUrl, service: 'integrations', max: 1 })
t.teardown(() => admin.close())
const secrets = createSealer({ current: '0123456789abcdef0123456789abcdef' })
const policy = outboundPolicy({ allowCidrs: [], ownHosts: [] })
const deps = {
  sealer: secrets,
  policy,
  metricsClient: {} as never,
  areComponentsUpToDate: async () => true,
}
const http = serve({
  service: 'integrations',
  database,
  verifier: testKeys().verifier('integrations'),
  routes: [...integrationBatchRoutes(deps), ...integrationRoutes(deps)],
})
t.teardown(() => http.close())

const nothing = { mode: 'apply' as const, undoes: null, create: [], update: [], remove: [] }
const batchOf = (parts: Partial<IntegrationBatch>) => ({ id: newId(), ...nothing, ...parts })

const organizationWithIntegrations = () => {
  const caller = testCaller()
  const { organizationId } = caller
  const apply = (parts: Partial<IntegrationBatch>) =>
    inject(http, batches.apply, { caller, body: batchOf(parts) })
  const definitions = async () => (await inject(http, batches.definitions, { caller })).body.data
  const datadog = (id: string, name = 'metrics', apiKey = 'one') => {
    const owner = { id, organizationId, type: 'datadog' as const }
    const seal = (field: string, text: string) =>
      secrets.seal(text, integrationEncryptionContext(owner, field))
    const config = { apiKey: seal('apiKey', apiKey), appKey: seal('appKey', 'two') }
    return { id, integration: { name, type: owner.type, config } }
  }
  return { caller, organizationId, apply, definitions, datadog }
}

const open = (organizationId: string, { id, config }: { id: string; config: { apiKey: string } }) =>
  secrets.open(config.apiKey, integrationEncryptionContext({ id, organizationId }, 'apiKey'))

t.test('every tenant table has row-level security', (t) =>
  assertTenantCatalogue(t, databases.adminUrl, 'integrations'),
)

t.test(
  'secrets are encrypted in both directions, the marker retains them, and a repeat changes nothing',
  async (t) => {
    const { caller, organizationId, apply, definitions, datadog } = organizationWithIntegrations()
    const id = newId()
    const batch = batchOf({ create: [datadog(id)] })
    const first = await inject(http, batches.apply, { caller, body: batch })
    t.same(first.body, { isRepeat: false, retained: [] }, JSON.stringify(first.body))
    t.same((await inject(http, batches.apply, { caller, body: batch })).body, {
      isRepeat: true,
      retained: [],
    })
    const [stored] = await definitions()
    t.match(stored, { id, version: 1, managedByConfig: true, config: { site: 'datadoghq.com' } })
    t.equal(open(organizationId, stored), 'one')
    const patch = { isEnabled: false, config: { apiKey: REDACTED } }
    t.equal((await apply({ update: [{ id, version: 1, patch }] })).status, 200)
    const [changed] = await definitions()
    t.match(changed, { version: 2, isEnabled: false })
    t.equal(open(organizationId, changed), 'one')
    t.equal((await apply({ remove: [{ id, version: 2 }] })).status, 200)
    t.same(await definitions(), [])
    t.equal(
      (await apply({ remove: [{ id, version: 2 }] })).status,
      200,
      'a deleted integration counts as removed',
    )
  },
)

t.test('one invalid entry rejects the whole batch in every mode', async (t) => {
  const { apply, definitions, datadog } = organizationWithIntegrations()
  const plain = { name: 'p', type: 'datadog' as const, config: { apiKey: 'plain', appKey: 'x' } }
  const inside = { name: 'i', type: 'prometheus' as const, config: { url: 'https://127.0.0.1/' } }
  const marker = { ...plain, config: { apiKey: REDACTED, appKey: REDACTED } }
  for (const mode of ['validate', 'dry-run', 'apply'] as const) {
    for (const [integration, field] of [
      [plain, 'config.apiKey'],
      [marker, 'config.apiKey'],
      ...(mode === 'apply' ? [] : [[inside, 'config.url'] as const]),
    ] as const) {
      const create = [datadog(newId()), { id: newId(), integration }]
      const response = await apply({ mode, create })
      t.equal(response.status, 400, JSON.stringify(response.body))
      t.equal(response.body.error.details.field, `create[1].integration.${field}`)
    }
  }
  const unknown = { id: newId(), version: 1, patch: { isEnabled: false } }
  t.equal((await apply({ create: [datadog(newId())], update: [unknown] })).status, 409)
  t.same(await definitions(), [])
})

t.test('an undo reverts a batch that took effect and blocks one that has not', async (t) => {
  const { caller, organizationId, apply, definitions, datadog } = organizationWithIntegrations()
  const kept = datadog(newId(), 'kept')
  await apply({ create: [kept] })
  const fresh = datadog(newId(), 'fresh')
  const change = datadog(kept.id, 'kept', 'changed').integration.config
  const saved = batchOf({
    create: [fresh],
    update: [{ id: kept.id, version: 1, patch: { config: change } }],
  })
  const undo = batchOf({
    undoes: saved.id,
    remove: [{ id: fresh.id, version: null }],
    update: [{ id: kept.id, version: null, patch: { config: kept.integration.config } }],
  })
  await inject(http, batches.apply, { caller, body: saved })
  t.equal((await definitions()).length, 2)
  t.equal((await inject(http, batches.apply, { caller, body: undo })).status, 200)
  const [left, ...others] = await definitions()
  t.same(others, [])
  t.equal(open(organizationId, left), 'one')

  const late = batchOf({ create: [datadog(newId(), 'late')] })
  t.equal((await apply({ undoes: late.id })).status, 200)
  t.same((await inject(http, batches.apply, { caller, body: late })).body, {
    isRepeat: true,
    retained: [],
  })
  t.equal((await definitions()).length, 1)
})

t.test('an undo continues when a changed integration was deleted', async (t) => {
  const { caller, apply, definitions, datadog } = organizationWithIntegrations()
  const changed = datadog(newId(), 'changed')
  await apply({ create: [changed] })
  const fresh = datadog(newId(), 'fresh')
  const update = [{ id: changed.id, version: 1, patch: { isEnabled: false } }]
  const saved = batchOf({ create: [fresh], update })
  t.equal((await inject(http, batches.apply, { caller, body: saved })).status, 200)
  const params = { id: changed.id }
  t.equal((await inject(http, integrations.remove, { caller, params })).status, 200)
  const undo = await apply({
    undoes: saved.id,
    remove: [{ id: fresh.id, version: null }],
    update: [{ id: changed.id, version: null, patch: { isEnabled: true } }],
  })
  t.equal(undo.status, 200, JSON.stringify(undo.body))
  t.same(await definitions(), [])
})

t.test('an undo retains integrations that components use by now', async (t) => {
  const { caller, organizationId, apply, definitions, datadog } = organizationWithIntegrations()
  const [used, unused] = [datadog(newId(), 'used'), datadog(newId(), 'unused')]
  const saved = batchOf({ create: [used, unused] })
  await inject(http, batches.apply, { caller, body: saved })
  await admin.batchSql`INSERT INTO integrations.metrics (organization_id, id, kind, integration_id, version,
      shard, name, query, aggregation, interval_seconds, is_enabled, decimal_places,
      show_on_status_page, created_at, updated_at)
    VALUES (${organizationId}, ${newId()}, 'component', ${used.id}, 1, 1, 'Queue', 'q', 'last', 60,
      true, 2, false, now(), now())`
  const remove = [used, unused].map(({ id }) => ({ id, version: null }))
  const undo = batchOf({ undoes: saved.id, remove })
  for (const isRepeat of [false, true]) {
    const response = await inject(http, batches.apply, { caller, body: undo })
    t.match(
      response,
      { status: 200, body: { isRepeat, retained: ['used'] } },
      JSON.stringify(response.body),
    )
  }
  t.match(await definitions(), [{ name: 'used' }])
  t.equal((await definitions()).length, 1)
  t.equal((await apply({ remove: [{ id: used.id, version: null }] })).status, 409, 'no undo')
})

t.test('another organization can neither read nor change them', async (t) => {
  const [own, other] = [organizationWithIntegrations(), organizationWithIntegrations()]
  const id = newId()
  await own.apply({ create: [own.datadog(id)] })
  t.same(await other.definitions(), [])
  const patch = { isEnabled: false }
  t.equal((await other.apply({ update: [{ id, version: 1, patch }] })).status, 409)
  const read = await inject(http, integrations.read, { caller: own.caller, params: { id } })
  t.match(read.body, { isEnabled: true, config: { apiKey: REDACTED } })
})
