/** Migrations that publish existing members again, for services that added a projection of them. */
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memberUpdated, subjectOf } from '@status-page/contracts'
import { connect, migrateAll, newId } from '@status-page/postgres'
import { testDatabase } from '@status-page/testing'
import t from 'tap'

const folder = new URL('../../migrations', import.meta.url).pathname
const RESTATEMENT = '0005_members_restated.sql'

t.test('each existing membership is published again with its next version', async (t) => {
  const before = await mkdtemp(join(tmpdir(), 'migrations-'))
  t.teardown(() => rm(before, { recursive: true }))
  await cp(folder, before, {
    recursive: true,
    filter: (path) => !/\d{4}_/.test(path) || path.slice(path.lastIndexOf('/') + 1) < RESTATEMENT,
  })
  const { adminUrl } = await testDatabase(t, {
    services: ['gateway'],
    folders: { gateway: before },
  })
  const administrator = await connect({ url: adminUrl, service: 'gateway' })
  t.teardown(() => administrator.close())
  const { batchSql: sql } = administrator
  const [organizationId, userId, id] = [newId(), newId(), newId()]
  await sql`INSERT INTO gateway.users (id, email, name) VALUES (${userId}, 'ana@example.com', 'Ana')`
  await sql`INSERT INTO gateway.organizations (id, name, slug) VALUES (${organizationId}, 'A', 'a')`
  await sql`INSERT INTO gateway.memberships (organization_id, id, user_id, role, version)
    VALUES (${organizationId}, ${id}, ${userId}, 'OWNER', 3)`

  const services = [{ name: 'gateway' as const, folder, password: 'test-gateway' }]
  await migrateAll({ adminUrl, services })
  const stated = {
    organization_id: organizationId,
    aggregate_type: 'member',
    aggregate_id: id,
    kind: memberUpdated.kind,
    subject: subjectOf(memberUpdated.kind, organizationId),
    payload: { member: { userId, email: 'ana@example.com', name: 'Ana', role: 'OWNER' } },
    settled_at: null,
  }
  // Both migrations that introduced such a projection.
  t.match(
    [...(await sql`SELECT * FROM gateway.outbox ORDER BY seq`)],
    [4, 5].map((version) => ({ ...stated, aggregate_version: version })),
  )
  t.match(await sql`SELECT version FROM gateway.memberships`, [{ version: 5 }])
  t.match(
    await sql`SELECT relforcerowsecurity FROM pg_class WHERE oid = 'gateway.memberships'::regclass`,
    [{ relforcerowsecurity: true }],
  )
})
