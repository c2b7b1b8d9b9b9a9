// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of documents look so
/** Applies over two owners: after any failure both hold all changes or none. */
import {
  AppError,
  conflict,
  invalid,
  configurationOperations as on,
  variableOperations as variables,
} from '@status-page/contracts'
import { connect } from '@status-page/postgres'
import t, { type Test } from 'tap'
import { byHand, configSyncKit, lostResponse } from '../config-sync.fixture.ts'

const kit = await configSyncKit(t)
const { owners } = kit
const MINUTE_MS = 60_000

const documentOf = (version: string, query: string) => `apiVersion: v1
kind: StatusPageConfig
metadata: { name: production, configVersion: "${version}" }
spec:
  integrations:
    - name: metrics
      type: datadog
      config: { apiKey: "\${KEY}", appKey: "\${KEY}" }
  components:
    - { name: Queue, type: METRIC, integration: metrics, query: "${query}" }
`

const tenant = async () => {
  const own = kit.as()
  const set = (value: string) =>
    own.ask(variables.set, { params: { name: 'KEY' }, body: { value } })
  await set('one')
  const { components, integrations } = owners.of(own.organizationId)
  const held = () => ({
    integrations: [...integrations.values()].map(({ name, version }) => [name, version]),
    components: [...components.values()].map(({ name, metric }) => [name, metric?.query]),
  })
  const versions = async () => (await own.ask(on.versions)).body.data.length
  return { ...own, set, held, versions }
}

type Owner = 'core' | 'integrations'

/** Fails once, `before` or `after` the batch takes effect; `after` simulates a lost response. */
const failOnce = (t: Test, where: { at: 'before' | 'after'; owner: Owner; error: () => Error }) => {
  let isOver = false
  const fail: Parameters<typeof owners.onBatch>[0] = ({ service }, { mode }) => {
    if (isOver || service !== where.owner || mode !== 'apply') return
    isOver = true
    throw where.error()
  }
  if (where.at === 'before') owners.onBatch(fail)
  else owners.afterBatch(fail)
  t.teardown(() => {
    owners.onBatch(() => {})
    owners.afterBatch(() => {})
  })
}

const NOTHING = { integrations: [], components: [] }
const FIRST = { integrations: [['metrics', 1]], components: [['Queue', 'a']] }

t.test('a rejection by integrations leaves nothing changed', async (t) => {
  const { ask, held, versions } = await tenant()
  failOnce(t, { at: 'before', owner: 'integrations', error: () => conflict('duplicate', 'taken') })
  const response = await ask(on.apply, { body: documentOf('1', 'a') })
  t.match(response, { status: 409, body: { error: { details: { reason: 'duplicate' } } } })
  t.same(held(), NOTHING)
  t.equal(await versions(), 0)
  t.equal(
    (await ask(on.apply, { body: documentOf('1', 'a') })).status,
    200,
    'the next apply succeeds',
  )
})

t.test('a rejection by core undoes the changes of integrations', async (t) => {
  const { ask, held, versions, set } = await tenant()
  await ask(on.apply, { body: documentOf('1', 'a') })
  await set('two')
  const error = () => conflict('version_mismatch', 'it changed')
  failOnce(t, { at: 'before', owner: 'core', error })
  const response = await ask(on.apply, { body: documentOf('2', 'b') })
  t.match(response, { status: 409, body: { error: { details: { reason: 'version_mismatch' } } } })
  t.match(held(), { integrations: [['metrics', 3]], components: [['Queue', 'a']] })
  t.equal(await versions(), 1)
  const { body } = await ask(on.export)
  t.match(
    (await ask(on.apply, { body })).body,
    { updated: { length: 0 } },
    'the value of KEY changed',
  )
})

t.test('a problem that core finds during the apply has its line, and is undone', async (t) => {
  const { ask, held } = await tenant()
  await ask(on.apply, { body: documentOf('1', 'a') })
  const message = 'The slug is already in use'
  failOnce(t, {
    at: 'before',
    owner: 'core',
    error: () => invalid({ field: 'definitions.status_page.create[0].value.slug', message }),
  })
  const body = `${documentOf('2', 'a')}  statusPages:\n    - { name: Acme, slug: acme }\n`
  const response = await ask(on.apply, { body })
  const line = body.split('\n').findIndex((text) => text.includes('slug')) + 1
  t.match(response, {
    status: 400,
    body: {
      error: { details: { issues: [{ field: 'spec.statusPages[0].slug', message, line }] } },
    },
  })
  t.match(held(), { integrations: [['metrics', 1]], components: [['Queue', 'a']] })
})

t.test(
  'an undo leaves integrations that came into use, and reports them in the error and the audit log',
  async (t) => {
    const { ask, held, organizationId } = await tenant()
    const owned = owners.of(organizationId)
    const user = byHand({ name: 'User', type: 'METRIC', query: 'q', integrationId: null })
    owners.onBatch(({ service }, { mode }) => {
      if (service !== 'core' || mode !== 'apply') return
      const [integrationId = ''] = owned.integrations.keys()
      owned.components.set(user.id, { ...user, metric: { ...user.metric, integrationId } as never })
      throw conflict('version_mismatch', 'Queue was changed in the meantime')
    })
    t.teardown(() => owners.onBatch(() => {}))
    const response = await ask(on.apply, { body: documentOf('1', 'a') })
    t.match(response, { status: 409, body: { error: { details: { reason: 'version_mismatch' } } } })
    t.match(
      response.body.error.message,
      /Queue was changed in the meantime; .* were not deleted: metrics/,
    )
    t.match(held(), { integrations: [['metrics', 1]], components: [['User', 'q']] })
    const [entry] = await kit.database.batchSql<{ payload: object }[]>`SELECT payload FROM outbox
    WHERE organization_id = ${organizationId} AND payload ->> 'action' = 'configuration.undo'`
    t.match(entry?.payload, { changes: { reason: { to: /were not deleted: metrics/ } } })
    owners.onBatch(() => {})
    t.equal(
      (await ask(on.apply, { body: documentOf('1', 'a') })).status,
      200,
      'the next apply succeeds',
    )
  },
)

for (const at of ['before', 'after'] as const) {
  for (const owner of ['integrations', 'core'] as const) {
    t.test(
      `a lost response of ${owner} ${at} the batch took effect: a job finishes the apply once`,
      async (t) => {
        const { ask, held, versions } = await tenant()
        failOnce(t, { at, owner, error: lostResponse })
        const response = await ask(on.apply, { body: documentOf('1', 'a') })
        t.equal(response.status, 504, 'the outcome is unknown to the caller')
        const waiting = await ask(on.apply, { body: documentOf('1', 'a') })
        t.match(waiting.body.error.details, { reason: 'already_running' })
        kit.clock.advance(1_000)
        await kit.runDue()
        t.same(held(), FIRST)
        t.equal(await versions(), 1)
        t.match((await ask(on.apply, { body: documentOf('1', 'a') })).body, { unchanged: 2 })
      },
    )
  }
}

t.test('an unreachable service is retried, a failing service ends the apply', async (t) => {
  const { ask, held, organizationId } = await tenant()
  let code: 'SERVICE_UNAVAILABLE' | 'UPSTREAM_ERROR' = 'SERVICE_UNAVAILABLE'
  const stop = () => {
    throw new AppError(code, 'core fails')
  }
  owners.onBatch(({ service }, { mode }) => service === 'core' && mode === 'apply' && stop())
  t.teardown(() => owners.onBatch(() => {}))
  t.equal((await ask(on.apply, { body: documentOf('1', 'a') })).status, 503)
  for (const _ of [1, 2]) {
    kit.clock.advance(10_000)
    await kit.runDue()
  }
  t.match(
    held(),
    { integrations: [['metrics', 1]], components: [] },
    'half applied while core is unreachable',
  )
  kit.clock.advance(16 * MINUTE_MS)
  await kit.runDue()
  t.match(held(), { integrations: [['metrics', 1]] }, 'an unreachable service is retried')
  code = 'UPSTREAM_ERROR'
  kit.clock.advance(MINUTE_MS)
  await kit.runDue()
  t.same(held(), NOTHING, 'a long failure undoes the apply')
  owners.onBatch(() => {})
  t.equal((await ask(on.apply, { body: documentOf('1', 'a') })).status, 200)
  t.same(held(), FIRST)
  t.ok(owners.calls.some(({ caller }) => caller.organizationId === organizationId))
})

t.test('an apply that fails does not hold up the next', async (t) => {
  const [first, next, last] = [await tenant(), await tenant(), await tenant()]
  const stop = () => {
    throw lostResponse()
  }
  owners.onBatch((_operation, { mode }) => mode === 'apply' && stop())
  t.teardown(() => owners.onBatch(() => {}))
  for (const { ask } of [first, next, last]) {
    t.equal((await ask(on.apply, { body: documentOf('1', 'a') })).status, 504)
  }
  owners.onBatch(() => {})
  const administrator = await connect({ url: kit.adminUrl, service: 'config-sync' })
  t.teardown(() => administrator.close())
  // Claimed applies have no order, so that one of two failing applies precedes the other apply.
  await administrator.batchSql.unsafe(`
    CREATE FUNCTION config_sync.refuse() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN RAISE 'refused'; END $$;
    CREATE TRIGGER refuse BEFORE UPDATE ON config_sync.applies FOR EACH ROW
      WHEN (NEW.organization_id <> '${next.organizationId}' AND NEW.owner = OLD.owner)
      EXECUTE FUNCTION config_sync.refuse()`)
  kit.clock.advance(1_000)
  await t.rejects(kit.runDue(), /Failed query: update/)
  t.same(next.held(), FIRST)
  await administrator.batchSql.unsafe('DROP TRIGGER refuse ON config_sync.applies')
  kit.clock.advance(MINUTE_MS)
  await kit.runDue()
  t.same([first.held(), last.held()], [FIRST, FIRST])
})

t.test('an apply is claimed when its turn comes, not while it waits', async (t) => {
  const tenants = [await tenant(), await tenant()]
  const administrator = await connect({ url: kit.adminUrl, service: 'config-sync' })
  t.teardown(() => administrator.close())
  const leased: number[] = []
  let isLost = true
  owners.onBatch(async (_operation, { mode }) => {
    if (mode !== 'apply') return
    if (isLost) throw lostResponse()
    const [counted] = await administrator.batchSql<{ count: number }[]>`
      SELECT count(*)::int FROM config_sync.applies
      WHERE finished_at IS NULL AND lease_until > ${new Date(Date.now() + kit.clock.offsetMs())}`
    leased.push(counted?.count ?? 0)
  })
  t.teardown(() => owners.onBatch(() => {}))
  for (const { ask } of tenants) {
    t.equal((await ask(on.apply, { body: documentOf('1', 'a') })).status, 504)
  }
  isLost = false
  kit.clock.advance(1_000)
  await kit.runDue()
  t.same(new Set(leased), new Set([1]))
  t.same(
    tenants.map(({ held }) => held()),
    [FIRST, FIRST],
  )
})

t.test(
  'removals come last; an integration that is in use again stays, with a warning',
  async (t) => {
    const { ask, held } = await tenant()
    await ask(on.apply, { body: documentOf('1', 'a') })
    const bare = documentOf('2', 'a').replace(/spec:.*/s, 'spec: {}\n')
    owners.onBatch((_operation, batch) => {
      const removes = 'undoes' in batch && batch.remove.length > 0 && batch.mode === 'apply'
      if (removes) throw conflict('in_use', 'It is in use')
    })
    t.teardown(() => owners.onBatch(() => {}))
    const response = await ask(on.apply, { body: bare, query: { prune: true } })
    t.equal(response.status, 200, JSON.stringify(response.body))
    t.same(response.body.deleted, [{ resourceType: 'component', resourceName: 'Queue' }])
    t.match(response.body.warnings, [/were not deleted: It is in use/])
    t.same(held(), { integrations: [['metrics', 1]], components: [] })
  },
)

t.test('an applied version has an event and an audit entry without values', async (t) => {
  const { ask, organizationId } = await tenant()
  await ask(on.apply, { body: documentOf('1', 'a') })
  const rows = await kit.database.batchSql<{ kind: string; payload: { action?: string } }[]>`
    SELECT kind, payload FROM outbox WHERE organization_id = ${organizationId} ORDER BY seq`
  t.same(
    rows.map(({ kind, payload }) => payload.action ?? kind),
    ['variable.create', 'configuration.applied', 'configuration.apply'],
  )
  t.match(rows[1]?.payload, { configuration: { created: 2, source: 'api', configVersion: '1' } })
  t.notMatch(JSON.stringify(rows), '"one"')
})
