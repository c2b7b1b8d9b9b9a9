/** Many results in one batch on a real Postgres are evaluated as if recorded one by one. */

import { systemActor } from '@status-page/contracts'
import { newId, transact } from '@status-page/postgres'
import { noTimings } from '@status-page/probes'
import { testDatabase } from '@status-page/testing'
import t, { type Test } from 'tap'
import { component, endpoint, LOCATION, monitorOf } from '../../monitor.fixture.ts'
import { type LeaseMark, recordChecks } from './record.ts'
import { checkRowOf } from './rows.ts'

// Keeps the test server running for the whole file; releasing the last database stops it.
await testDatabase(t, { services: [] })

const SECOND = 1000
const DAY = 86_400_000
const start = Date.now() - 60 * SECOND

interface Said {
  id: string
  /** Seconds after the start. */
  second: number
  isUp: boolean
  certificateExpiresAt?: string
  lease?: LeaseMark
}

const world = async (t: Test) => {
  const { organizationId, database, publishComponent, ...rest } = await monitorOf(t)
  return {
    ...rest,
    /** Creates a component with a failure threshold of one. */
    async create(given: Parameters<typeof component>[0] = {}) {
      const url = 'http://a.example.com/'
      const thresholds = { failureThreshold: 1, recoveryThreshold: 1 }
      const made = component({ endpoint: endpoint(url, thresholds), ...given })
      await publishComponent(organizationId, 'created', made, 1)
      return made.id
    },
    record: (all: readonly Said[]) =>
      transact(database, { organizationId, actor: systemActor }, async (scope) => {
        const checks = all.map(({ id, second, isUp, lease = null, ...said }) => {
          const target = { organizationId, componentId: id, timeoutMs: 1000 }
          const checkedAtMs = start + second * SECOND
          const result = {
            status: isUp ? ('SUCCESS' as const) : ('FAILURE' as const),
            statusCode: isUp ? 200 : 500,
            responseMs: 1,
            error: null,
            conditionResults: [],
            checkedAtMs,
            timings: noTimings,
            certificateExpiresAt: said.certificateExpiresAt ?? null,
            certificateNames: { subject: 'CN=a.example', issuer: 'CN=R11, O=CA' },
          }
          const when = { slotMs: checkedAtMs, location: LOCATION, trigger: 'schedule' } as const
          return { target, result, row: checkRowOf(target, result, when), lease }
        })
        const { stored, events } = await recordChecks(scope, LOCATION, checks)
        return { result: stored, events, audit: [] }
      }),
  }
}

t.test('targets that fail together get one event each, in one commit', async (t) => {
  const { create, record, sql, publishedEvents } = await world(t)
  const ids = []
  for (let count = 0; count < 20; count += 1) ids.push(await create())
  const stored = await record(ids.map((id, second) => ({ id, second, isUp: false })))
  t.same(
    new Set([...stored.values()].map((one) => one?.state.derivedStatus)),
    new Set(['major_outage']),
  )
  const events = await publishedEvents()
  t.same(new Set(events.map(({ kind }) => kind)), new Set(['monitor.down']))
  const since = new Map(
    events.map(({ payload }) => {
      const { monitor } = payload as { monitor: { componentId: string; since: string } }
      return [monitor.componentId, Date.parse(monitor.since)]
    }),
  )
  for (const [second, id] of ids.entries()) t.equal(since.get(id), start + second * SECOND)
  const [row] = await sql`SELECT count(*)::int AS verdicts FROM monitor.target_verdicts
    WHERE derived_status = 'major_outage' AND version = 1 AND cardinality(changed_at) = 1`
  t.same(row, { verdicts: ids.length })
  t.match(
    await sql`SELECT count(*)::int AS checks, count(*) FILTER (WHERE status = 'SUCCESS')::int AS
      successes FROM monitor.checks`,
    [{ checks: ids.length, successes: 0 }],
  )
})

t.test('results of one target are evaluated in order, among those of others', async (t) => {
  const { create, record, publishedEvents } = await world(t)
  const [first, second] = [await create(), await create()]
  const stored = await record([
    { id: first, second: 0, isUp: false },
    { id: second, second: 1, isUp: false },
    { id: first, second: 2, isUp: true },
    { id: first, second: 3, isUp: false },
  ])
  const events = await publishedEvents()
  const of = (id: string) =>
    events.flatMap(({ kind, aggregate_version: version, payload }) => {
      const { monitor } = payload as { monitor: { componentId: string } }
      return monitor.componentId === id ? [[kind, version]] : []
    })
  const all = [
    ['monitor.down', 1],
    ['monitor.recovered', 2],
    ['monitor.down', 3],
  ]
  t.same(of(first), all)
  t.same(of(second), [['monitor.down', 1]])
  t.match(stored.get(first), { revision: 3, state: { derivedStatus: 'major_outage' } })
})

t.test('results that cannot change a state do not prevent the others of their batch', async (t) => {
  const { create, record, publishedEvents, checksOf } = await world(t)
  const [fine, disabled, unknown] = [await create(), await create({ isEnabled: false }), newId()]
  const [ended, again] = [await create(), await create()]
  await record([{ id: again, second: 0, isUp: true }])
  const stored = await record([
    { id: fine, second: 0, isUp: false },
    { id: disabled, second: 0, isUp: false },
    { id: unknown, second: 0, isUp: false },
    { id: ended, second: 0, isUp: false, lease: { shard: 1, epoch: 7 } },
    { id: again, second: 0, isUp: false },
  ])
  t.not(stored.get(fine), null)
  for (const id of [disabled, unknown, ended, again]) t.equal(stored.get(id), null)
  t.equal((await publishedEvents()).length, 1)
  t.equal((await checksOf(ended)).length, 1, 'a late result is stored nevertheless')
  t.same(
    (await checksOf(again)).map(({ status }) => status),
    ['SUCCESS'],
    'the existing check of a slot stays',
  )
})

t.test('an expiring certificate and an outage have consecutive versions', async (t) => {
  const { create, record, sql } = await world(t)
  const [ending, fresh] = [await create(), await create()]
  const expiry = (days: number) => new Date(Date.now() + days * DAY).toISOString()
  const stored = await record([
    { id: ending, second: 0, isUp: false, certificateExpiresAt: expiry(5) },
    { id: fresh, second: 0, isUp: true, certificateExpiresAt: expiry(300) },
  ])
  const events = await sql`SELECT kind, aggregate_id AS id, aggregate_version AS version
    FROM monitor.outbox WHERE kind LIKE 'monitor.%' OR kind LIKE 'certificate.%' ORDER BY version`
  t.same(events, [
    { kind: 'certificate.expiring', id: ending, version: 1 },
    { kind: 'monitor.down', id: ending, version: 2 },
  ])
  t.ok(stored.get(fresh)?.certificate.expiresAt)
  t.equal(stored.get(fresh)?.certificate.warned, null)
  const rows = await sql`SELECT certificate_expires_at IS NOT NULL AS is_seen, revision,
    certificate_subject AS subject, certificate_issuer AS issuer
    FROM monitor.target_states ORDER BY revision`
  const seen = { is_seen: true, revision: 1, subject: 'CN=a.example', issuer: 'CN=R11, O=CA' }
  t.same(rows, [seen, seen])
})
