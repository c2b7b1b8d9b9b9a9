/** Audit log: each entry is stored once, is never changed, and is deleted only by retention. */
import { memoryBus } from '@status-page/bus'
import { asWorkerRaw, read } from '@status-page/postgres'
import { assertTenantCatalogue } from '@status-page/testing'
import { sql } from 'drizzle-orm'
import t from 'tap'
import { createApiKey, registerMember, runJob, testGateway } from '../gateway.fixture.ts'

t.test('every audit entry becomes one row of its organization', async (t) => {
  const gateway = await testGateway(t)
  const { database, eventHandlers } = gateway
  const member = await registerMember(gateway)
  await createApiKey(gateway, member, ['audit:read'])
  await registerMember(gateway)
  const bus = memoryBus(t, [{ database, eventHandlers }])
  t.equal(await bus.drain(), 3)
  t.equal(await bus.drain(), 0)
  const rows = await read(database, member.identity.organization.id, ({ tx }) =>
    tx.execute<Record<string, unknown>>(sql`SELECT * FROM audit_log ORDER BY id`),
  )
  t.match(rows, [
    {
      action: 'auth.register',
      entity_type: 'user',
      entity_id: member.identity.user.id,
      actor_type: 'user',
      user_id: member.identity.user.id,
      ip_address: '127.0.0.1',
    },
    {
      action: 'api_key.create',
      actor_type: 'user',
      changes: { permissions: { to: ['audit:read'] } },
    },
  ])
})

t.test('no role changes an entry or deletes a young one; retention deletes old ones', async (t) => {
  const gateway = await testGateway(t, { AUDIT_RETENTION_DAYS: '30' })
  const { database, eventHandlers } = gateway
  const member = await registerMember(gateway)
  const organizationId = member.identity.organization.id
  await memoryBus(t, [{ database, eventHandlers }]).drain()
  const inScope = (statement: string) =>
    read(database, organizationId, ({ tx }) => tx.execute(sql.raw(statement)))
  await t.rejects(inScope(`UPDATE audit_log SET action = 'x'`))
  await t.rejects(inScope('DELETE FROM audit_log'))
  await inScope(`INSERT INTO audit_log (organization_id, id, action, entity_type, entity_id,
    actor_type, changes, occurred_at) VALUES ('${organizationId}', gen_random_uuid(), 'old', 'x', 'x',
    'system', '{}', now() - interval '31 days')`)
  const deleted = await asWorkerRaw(database, async (systemScope) => {
    await systemScope.sql`SELECT set_config('app.org', ${organizationId}, true)`
    const result =
      await systemScope.sql`DELETE FROM audit_log WHERE occurred_at > now() - interval '1 day'`
    return result.count
  })
  t.equal(deleted, 0, 'a young entry is out of reach')
  await runJob(gateway, 'retention-audit')
  const left = await inScope('SELECT action FROM audit_log')
  t.same([...left], [{ action: 'auth.register' }])
})

t.test('the schema keeps tenants apart', async (t) => {
  const { databases } = await testGateway(t)
  await assertTenantCatalogue(t, databases.adminUrl, 'gateway')
})

t.test('the retention jobs of identity run on existing rows', async (t) => {
  const gateway = await testGateway(t)
  await registerMember(gateway)
  for (const work of gateway.jobs) t.type(await work.run(new AbortController().signal), 'number')
})
