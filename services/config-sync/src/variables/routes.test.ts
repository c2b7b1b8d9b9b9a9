/** Variables are set, listed, re-encrypted and deleted; no reply contains a value. */
import {
  draftEvent,
  MAX_VARIABLES,
  variableOperations as on,
  organizationCreated,
  systemActor,
} from '@status-page/contracts'
import { read, transact } from '@status-page/postgres'
import { createSealer } from '@status-page/secrets'
import { keyRotationJob } from '@status-page/service'
import t from 'tap'
import { configSyncKit } from '../config-sync.fixture.ts'
import { variables } from '../tables.ts'
import { encryptedVariables } from './key-rotation.ts'
import { operatorVariables } from './operator.ts'
import { resolveVariables } from './resolve.ts'

const kit = await configSyncKit(t)
const silent = { info: () => {}, error: () => {} }

t.test('a variable is set and listed; its value is in no reply and no outbox row', async (t) => {
  const { ask, organizationId } = kit.as()
  const params = { name: 'DD_KEY' }
  const first = await ask(on.set, { params, body: { value: 's3cret-one' } })
  t.equal(first.status, 200)
  t.same(Object.keys(first.body).sort(), ['createdAt', 'name', 'updatedAt'])
  const second = await ask(on.set, { params, body: { value: 's3cret-two' } })
  t.equal(second.body.createdAt, first.body.createdAt)
  t.match((await ask(on.read, { params })).body, { name: 'DD_KEY' })
  t.match((await ask(on.list, { query: { search: 'dd' } })).body, { meta: { total: 1 } })
  t.equal((await ask(on.remove, { params })).status, 200)
  t.equal((await ask(on.read, { params })).status, 404)
  t.equal((await ask(on.remove, { params })).status, 404)
  const outbox = await kit.database.batchSql<{ payload: { action: string } }[]>`
    SELECT payload FROM outbox WHERE organization_id = ${organizationId} ORDER BY seq`
  t.same(
    outbox.map(({ payload }) => payload.action),
    ['variable.create', 'variable.update', 'variable.delete'],
  )
  t.notMatch(JSON.stringify(outbox), 's3cret')
})

t.test('an invalid name is 404, an invalid value 400, and the number is limited', async (t) => {
  const { ask, organizationId } = kit.as()
  for (const name of ['lower', '1A', 'A-B', 'A'.repeat(65)]) {
    const response = await ask(on.set, { params: { name }, body: { value: 'x' } })
    t.equal(response.status, 404, name)
  }
  for (const value of ['', 'x'.repeat(4097), 5, null]) {
    const response = await ask(on.set, { params: { name: 'A' }, body: { value } })
    t.match(response, { status: 400, body: { error: { details: { field: 'value' } } } })
  }
  await transact(kit.database, { organizationId, actor: systemActor }, async ({ tx, now }) => {
    const rows = Array.from({ length: MAX_VARIABLES }, (_, index) => ({
      organizationId,
      name: `V${index}`,
      sealedValue: 'x',
      createdAt: now,
      updatedAt: now,
    }))
    await tx.insert(variables).values(rows)
    return { result: undefined }
  })
  const body = { value: 'x' }
  t.equal((await ask(on.set, { params: { name: 'ONE_MORE' }, body })).status, 400)
  t.equal((await ask(on.set, { params: { name: 'V7' }, body })).status, 200, 'it exists already')
})

t.test('another organization neither lists nor resolves it', async (t) => {
  const [own, other] = [kit.as(), kit.as()]
  const params = { name: 'MINE' }
  await own.ask(on.set, { params, body: { value: 'x' } })
  t.equal((await other.ask(on.read, { params })).status, 404)
  const deps = { sealer: kit.sealer, operatorVariables: { read: () => undefined } }
  const seen = (organizationId: string) =>
    read(kit.database, organizationId, (scope) =>
      resolveVariables(scope, new Set(['MINE', 'DATABASE_URL']), deps),
    )
  t.same([...(await seen(own.organizationId))], [['MINE', 'x']])
  t.same([...(await seen(other.organizationId))], [])
})

t.test('after a key rotation every value is encrypted with the new key', async (t) => {
  const { ask, organizationId } = kit.as()
  await ask(on.set, { params: { name: 'OLD' }, body: { value: 'kept' } })
  const keys = { current: 'a'.repeat(32), previous: '0123456789abcdef0123456789abcdef' }
  const next = createSealer(keys)
  const source = encryptedVariables({ database: kit.database, sealer: next })
  const work = keyRotationJob({ sealer: next, logger: silent, sources: [source] })
  await work.run(new AbortController().signal)
  const alone = createSealer({ current: keys.current })
  const deps = { sealer: alone, operatorVariables: { read: () => undefined } }
  const values = await read(kit.database, organizationId, (scope) =>
    resolveVariables(scope, new Set(['OLD']), deps),
  )
  t.equal(values.get('OLD'), 'kept')
})

t.test('operator variables belong to the named organization only', async (t) => {
  const { organizationId } = kit.as()
  const slug = 'acme-eu'
  const environment = {
    DATABASE_URL: 'postgres://secret',
    CONFIG_VAR_ACME_EU__TOKEN: 'of acme',
    CONFIG_VAR_ACME_EU__ORGANIZATION_ID: organizationId,
    CONFIG_VAR_OTHER__TOKEN: 'of other',
  }
  const open = operatorVariables(environment, { isRegistrationOpen: true })
  const closed = operatorVariables(environment, { isRegistrationOpen: false })
  t.equal(open.read({ id: organizationId, slug }, 'TOKEN'), 'of acme')
  t.equal(open.read({ id: organizationId, slug }, 'ORGANIZATION_ID'), undefined)
  t.equal(open.read({ id: organizationId, slug: 'other' }, 'TOKEN'), undefined, 'a stranger')
  t.equal(closed.read({ id: organizationId, slug: 'other' }, 'TOKEN'), 'of other')
  t.equal(closed.read({ id: organizationId, slug }, 'DATABASE_URL'), undefined)
  const heir = { id: kit.as().organizationId, slug }
  t.equal(
    closed.read(heir, 'TOKEN'),
    undefined,
    'a new owner of the slug is not the configured organization',
  )

  const organization = { id: organizationId, name: 'Acme', slug }
  await transact(kit.gateway, { organizationId, actor: systemActor }, async () => {
    const fact = draftEvent(
      organizationCreated,
      { id: organizationId, version: 1 },
      { organization },
    )
    return { result: undefined, events: [fact], audit: [] }
  })
  await kit.bus.drain()
  const values = await read(kit.database, organizationId, (scope) =>
    resolveVariables(scope, new Set(['TOKEN']), { sealer: kit.sealer, operatorVariables: open }),
  )
  t.equal(values.get('TOKEN'), 'of acme', 'by the slug from the event of the gateway')
})
