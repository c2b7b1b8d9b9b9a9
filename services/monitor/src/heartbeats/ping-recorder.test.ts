/** Pings are stored in batches across organizations, each once, and no organization waits. */
import { newId } from '@status-page/postgres'
import { hashToken, randomToken } from '@status-page/secrets'
import { testDatabase } from '@status-page/testing'
import t, { type Test } from 'tap'
import { adminOf, component, logger, setup } from '../monitor.fixture.ts'
import { createPingRecorder } from './ping-recorder.ts'

// Keeps the test server running for the whole file; releasing the last database stops it.
await testDatabase(t, { services: [] })

const endpoint = {
  kind: 'heartbeat',
  schedule: null,
  periodSeconds: 3_600,
  startGraceSeconds: 60,
  maxRunSeconds: null,
  minRunSeconds: null,
} as const

const world = async (t: Test, organizations: number) => {
  const { database, publishComponent, adminUrl } = await setup(t)
  const sql = await adminOf(t, adminUrl)
  const stored: string[] = []
  const record = createPingRecorder({
    database,
    logger,
    onStored: ({ componentId }) => void stored.push(componentId),
  })
  const send = (tokenHash: string, kind: 'ping' | 'fail' = 'ping') =>
    record({ tokenHash, kind, exitCode: null, run: null, body: null })
  const jobs: { id: string; tokenHash: string }[] = []
  for (let count = 0; count < organizations; count += 1) {
    const { id } = component()
    await publishComponent(newId(), 'created', component({ id, endpoint }), 1)
    const tokenHash = hashToken(randomToken())
    await sql`UPDATE monitor.heartbeats SET token_hash = ${tokenHash} WHERE component_id = ${id}`
    jobs.push({ id, tokenHash })
  }
  // The first success of a target changes its state; later ones do not.
  await Promise.all(jobs.map(({ tokenHash }) => send(tokenHash)))
  const kinds = async () => {
    const rows = await sql<{ kind: string }[]>`SELECT kind FROM monitor.outbox ORDER BY seq`
    return rows.map(({ kind }) => kind)
  }
  return { sql, jobs, send, stored, kinds }
}

t.test('pings of ten organizations that change no status are one transaction', async (t) => {
  const { sql, jobs, send, stored } = await world(t, 10)
  await Promise.all(jobs.map(({ tokenHash }) => send(tokenHash)))
  const rows = await sql`SELECT xmin, pings FROM monitor.heartbeats`
  t.equal(new Set(rows.map(({ xmin }) => xmin)).size, 1)
  t.same(
    rows.map(({ pings }) => pings),
    jobs.map(() => 2),
  )
  t.equal(stored.length, 20)
})

t.test('sixty pings of one token at once are sixty results', async (t) => {
  const { sql, jobs, send } = await world(t, 1)
  await Promise.all(Array.from({ length: 60 }, () => send(jobs[0]?.tokenHash ?? '')))
  const [counts] = await sql`SELECT (SELECT pings FROM monitor.heartbeats) AS pings,
    (SELECT count(*)::int FROM monitor.checks) AS checks,
    (SELECT count(*)::int FROM monitor.heartbeat_pings) AS stored,
    (SELECT max(received_at) = (SELECT last_ping_at FROM monitor.heartbeats)
      FROM monitor.heartbeat_pings) AS "isLast"`
  t.match(counts, { pings: 61, checks: 61, stored: 50, isLast: true })
})

t.test('in one batch, a failure is one event, and an unknown token is refused alone', async (t) => {
  const { jobs, send, kinds } = await world(t, 3)
  const [first, second, third] = jobs.map(({ tokenHash }) => tokenHash)
  const [failed, unknown, ...others] = await Promise.allSettled([
    send(first ?? '', 'fail'),
    send(hashToken(randomToken())),
    send(second ?? ''),
    send(third ?? ''),
    send(first ?? '', 'fail'),
  ])
  t.match([failed, unknown], [{ status: 'fulfilled' }, { reason: { status: 401 } }])
  t.match(others, [{ status: 'fulfilled' }, { status: 'fulfilled' }, { status: 'fulfilled' }])
  t.same(await kinds(), ['monitor.down'])
  await send(first ?? '')
  t.same(await kinds(), ['monitor.down', 'monitor.recovered'])
})

t.test('a locked heartbeat delays the pings of no other', async (t) => {
  const { sql, jobs, send } = await world(t, 2)
  const [locked, free] = jobs
  const lock = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const holding = sql.begin(async (transaction) => {
    await transaction`SELECT FROM monitor.heartbeats WHERE component_id = ${locked?.id ?? ''}
      FOR UPDATE`
    held.resolve()
    await lock.promise
  })
  await held.promise
  let isStored = false
  const waiting = send(locked?.tokenHash ?? '').then(() => {
    isStored = true
  })
  await send(free?.tokenHash ?? '')
  await send(free?.tokenHash ?? '')
  t.notOk(isStored)
  lock.resolve()
  await Promise.all([holding, waiting])
})
