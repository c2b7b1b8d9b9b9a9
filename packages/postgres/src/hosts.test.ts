/** Several hosts in the URL of a database: the one that accepts writes is used. */
import { embeddedServer, testDatabase } from '@status-page/testing'
import t from 'tap'
import { databaseAddressesOf, serviceUrl } from './database-url.ts'
import { notesSchema } from './fixture/notes.ts'
import { connect } from './index.ts'

const down = { code: 'SERVICE_UNAVAILABLE' }

const withHosts = (url: string, hosts: readonly string[]): string =>
  url.replace(/@[^/]+/, `@${hosts.join(',')}`)

const hostOf = (url: string): string => new URL(url).host

t.test('a host that refuses connections is skipped, at any position', async (t) => {
  const databases = await testDatabase(t, notesSchema)
  const url = databases.url('core')
  for (const hosts of [
    ['127.0.0.1:1', hostOf(url)],
    [hostOf(url), '127.0.0.1:1'],
    ['127.0.0.1:1', 'localhost:2', hostOf(url)],
  ]) {
    const core = await connect({ url: withHosts(url, hosts), service: 'core', max: 3 })
    t.teardown(() => core.close())
    const pings = Array.from({ length: 8 }, () => core.batchSql`SELECT pg_sleep(0.01)`)
    await Promise.all(pings)
    const received = Promise.withResolvers<string>()
    await core.listen('news', received.resolve)
    await core.batchSql.notify('news', 'read')
    t.equal(await received.promise, 'read', String(hosts))
    const locks = await core.dedicated()
    t.equal((await locks`SELECT 1`).count, 1)
    await core.close()
  }
})

t.test('of a standby and a primary the primary is used; a standby is not ready', async (t) => {
  const { adminUrl } = await testDatabase(t, notesSchema)
  const primary = new URL(adminUrl)
  const standby = new URL(
    (await embeddedServer(t, { isStandby: true, password: primary.password })).url,
  )
  await t.rejects(connect({ url: standby.href, service: 'core', max: 1 }), {
    ...down,
    message: 'The database is a standby, which accepts no writes',
  })
  const both = withHosts(standby.href, [standby.host, primary.host])
  const core = await connect({ url: both, service: 'core', max: 4 })
  t.teardown(() => core.close())
  const portOf = () => core.batchSql`SELECT inet_server_port() AS port, pg_sleep(0.01)`
  const ports = await Promise.all(Array.from({ length: 8 }, portOf))
  t.same(new Set(ports.map(([row]) => row?.port)), new Set([Number(primary.port)]))
  await core.ping()
})

t.test('when no host responds, statements are rejected with 503 within seconds', async (t) => {
  const databases = await testDatabase(t, notesSchema)
  const url = withHosts(databases.url('core'), ['127.0.0.1:1', '127.0.0.1:2'])
  await t.rejects(connect({ url, service: 'core', max: 1 }), down)
})

t.test('an URL is read with all of its hosts, and a wrong one is named without its secret', (t) => {
  const valid: [string, unknown][] = [
    ['postgres://u:p%40x@a/db', [{ host: 'a', port: 5432 }]],
    [
      'postgresql://u@a:1,b:2,[::1]:3/db?sslmode=require',
      [
        { host: 'a', port: 1 },
        { host: 'b', port: 2 },
        { host: '::1', port: 3 },
      ],
    ],
  ]
  for (const [url, addresses] of valid) t.same(databaseAddressesOf(url), addresses, url)
  const wrong = [
    'postgres://',
    'postgres://u:p@/db',
    'postgres://u:s3cret@with@host/db',
    'postgres://u:s3cret@a:99999/db',
    'postgres://u:s3cret@a,,b/db',
    'mysql://u:s3cret@a/db',
    `postgres://u:s3cret@${'a,'.repeat(20)}a/db`,
    'postgres://u:s3cret@a/db?sslrootcert=/etc/ca.pem',
    'postgres://u:s3cret@a/db?target_session_attrs=standby',
  ]
  for (const url of wrong) {
    try {
      databaseAddressesOf(url)
      t.fail(url)
    } catch (error) {
      t.notMatch((error as Error).message, /s3cret/, url)
    }
  }
  t.equal(
    serviceUrl('postgres://admin:x@a:1,b:2/db?sslmode=require', 'config-sync', 'p/w@', 'x_'),
    'postgres://x_config_sync:p%2Fw%40@a:1,b:2/db?sslmode=require',
  )
  t.end()
})
