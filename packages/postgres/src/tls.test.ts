/** TLS to Postgres: the server is verified, and a lost connection is reported. */
import { embeddedServer, eventually, selfSignedCertificate } from '@status-page/testing'
import t from 'tap'
import { connect, connectionProblemOf } from './index.ts'

t.test('the certificate of the server is verified by DATABASE_CA', async (t) => {
  const certificate = selfSignedCertificate(['127.0.0.1'])
  const { url } = await embeddedServer(t, { certificate })
  const open = (ca: string) => connect({ url, service: 'core', max: 2, ca })
  const core = await open(certificate.cert)
  t.teardown(() => core.close())
  const [row] = await core.batchSql`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`
  t.equal(row?.ssl, true)
  const problem = await open(selfSignedCertificate(['127.0.0.1']).cert).then(
    () => null,
    connectionProblemOf,
  )
  t.match(problem, /^The certificate of Postgres cannot be verified \(.*\): check DATABASE_CA\.$/)

  const received: string[] = []
  let lost = 0
  let listening = 0
  await core.listen('news', (text) => received.push(text), {
    onListening: () => listening++,
    onLost: () => lost++,
  })
  await core.batchSql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE query ILIKE 'listen%'`
  await eventually(() => lost > 0 && listening === 2)
  await core.batchSql.notify('news', 'again')
  await eventually(() => received.includes('again'))
})
