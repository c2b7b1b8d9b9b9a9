/** The migration publishes channels that existed before escalations could reference them. */
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { channelUpdated, subjectOf } from '@status-page/contracts'
import { connect, migrateAll, newId } from '@status-page/postgres'
import { testDatabase } from '@status-page/testing'
import t from 'tap'

const folder = new URL('../../migrations', import.meta.url).pathname
const RESTATEMENT = '0015_channels_restated.sql'

t.test('each existing channel is published once more, at its next version', async (t) => {
  const before = await mkdtemp(join(tmpdir(), 'migrations-'))
  t.teardown(() => rm(before, { recursive: true }))
  await cp(folder, before, {
    recursive: true,
    filter: (path) => !/\d{4}_/.test(path) || path.slice(path.lastIndexOf('/') + 1) < RESTATEMENT,
  })
  const { adminUrl } = await testDatabase(t, {
    services: ['notifier'],
    folders: { notifier: before },
  })
  const administrator = await connect({ url: adminUrl, service: 'notifier' })
  t.teardown(() => administrator.close())
  const { batchSql: sql } = administrator
  const [organizationId, id] = [newId(), newId()]
  await sql`
    INSERT INTO notifier.notification_channels (id, organization_id, name, type, config, events,
      component_ids, impacts, is_enabled, version, created_at, updated_at)
    VALUES (${id}, ${organizationId}, 'Ops', 'slack', '{}', '{}', '{}', '{}', true, 3, now(), now())`

  const services = [{ name: 'notifier' as const, folder, password: 'test-notifier' }]
  await migrateAll({ adminUrl, services })
  t.match(await sql`SELECT * FROM notifier.outbox WHERE kind = ${channelUpdated.kind}`, [
    {
      organization_id: organizationId,
      aggregate_type: 'notification-channel',
      aggregate_id: id,
      aggregate_version: 4,
      subject: subjectOf(channelUpdated.kind, organizationId),
      payload: { channel: { id, name: 'Ops', type: 'slack' } },
      settled_at: null,
    },
  ])
  t.match(await sql`SELECT version FROM notifier.notification_channels`, [{ version: 4 }])
  t.match(
    await sql`SELECT relforcerowsecurity FROM pg_class
      WHERE oid = 'notifier.notification_channels'::regclass`,
    [{ relforcerowsecurity: true }],
  )
})
