/**
 * Comparison of expected with received messages, and the check that an installation has no pending
 * work.
 */
import { databaseSchemaOf, type IncidentStatus, services } from '@status-page/contracts'
import { eventually } from '@status-page/testing'
import type postgres from 'postgres'
import type { Test } from 'tap'
import type { ReceivedMessage } from './receivers.ts'
import type { World } from './world.ts'

/** Longer than two sweeps and than the lease of a delivery. */
const IDLE_TIMEOUT_MS = 110_000
/** Attempts from which an event is quarantined; rows with fewer attempts are still retried. */
const QUARANTINED_AT = 6

/** Event that a destination must receive. */
export interface ExpectedMessage {
  incidentId: string
  version: number
  kind: string
  status: IncidentStatus
}

export interface Allowance {
  /**
   * Maximum number of repeated messages: one per crash between a receiver's response and its
   * record.
   */
  repeats: number
}

/**
 * Asserts that every expected message arrived once, apart from allowed repeats, that no other
 * arrived, and that none arrived after a newer one.
 */
export const assertDelivered = (
  t: Test,
  expected: readonly ExpectedMessage[],
  received: readonly ReceivedMessage[],
  { repeats }: Allowance = { repeats: 0 },
): void => {
  const firsts = received.filter(
    (message, index) => !received.slice(0, index).some(({ key }) => key === message.key),
  )
  const isWebhook = received.some(({ version }) => version !== undefined)
  const name = (message: ExpectedMessage | ReceivedMessage) =>
    isWebhook
      ? `${message.incidentId} v${message.version} ${message.kind} ${message.status}`
      : `${message.incidentId} ${message.status}`
  t.same(
    firsts.map(name).sort(),
    expected.map(name).sort(),
    'every expected event once, and no other',
  )
  t.ok(received.length - firsts.length <= repeats, `at most ${repeats} repeated`)
  t.same(outOfOrder(received), [], 'versions of an incident never decrease')
}

const outOfOrder = (received: readonly ReceivedMessage[]): ReceivedMessage[] => {
  const newest = new Map<string, number>()
  return received.filter(({ incidentId, version = 0 }) => {
    const before = newest.get(incidentId) ?? 0
    newest.set(incidentId, Math.max(before, version))
    return version < before
  })
}

/**
 * Asserts that every consumer has a receipt of every event, every delivery of the test file has
 * ended, and none was given up.
 */
export const assertIdle = async (t: Test, world: World): Promise<void> => {
  const { admin } = world
  const work = await lastOpenWork(world)
  t.same(work.events, [], 'every consumer has a receipt of every event')
  t.same(work.deliveries, [], 'no delivery is pending or being sent')
  for (const schema of schemas) {
    const dead = await admin`
      SELECT consumer, subject, tries, error FROM ${admin(schema)}.dead_event
      WHERE tries >= ${QUARANTINED_AT} AND resolved_at IS NULL`
    t.same(dead, [], `${schema} has no dead events`)
  }
}

export const waitUntilIdle = (world: World): Promise<unknown> =>
  eventually(async () => isNone(await openWork(world)), { timeoutMs: IDLE_TIMEOUT_MS })

/**
 * Work that remains after the timeout, or none. Not read again after the wait, because metrics create
 * further events in the meantime.
 */
const lastOpenWork = async (world: World): Promise<OpenWork> => {
  let work = await openWork(world)
  const isIdle = async () => {
    work = await openWork(world)
    return isNone(work)
  }
  await eventually(isIdle, { timeoutMs: IDLE_TIMEOUT_MS }).catch(() => {})
  return work
}

type OpenWork = Awaited<ReturnType<typeof openWork>>

const openWork = async (world: World) => ({
  events: await unhandledEvents(world.admin),
  deliveries: await openDeliveries(world),
})

const isNone = ({ events, deliveries }: OpenWork): boolean =>
  events.length === 0 && deliveries.length === 0

/** Asserts that the producers have seen the receipts of all present events; takes one sweep. */
export const assertSettled = async (t: Test, admin: postgres.Sql): Promise<void> => {
  const [mark] = await admin`SELECT now() AS now`
  const open = () =>
    admin.unsafe(
      schemas
        .map(
          (schema) => `SELECT '${schema}' AS producer, kind, published_at FROM ${schema}.outbox
          WHERE settled_at IS NULL AND occurred_at <= $1`,
        )
        .join(' UNION ALL '),
      [mark?.now],
    )
  const isSettled = async () => (await open()).length === 0
  await eventually(isSettled, { timeoutMs: IDLE_TIMEOUT_MS }).catch(() => {})
  t.same(await open(), [], 'no event is unsettled')
}

const schemas = services.map(databaseSchemaOf)

/** Deliveries of the test file; receivers of earlier files have ended. */
const openDeliveries = ({ admin, since }: World) => admin`
  SELECT id, kind, state, reason FROM notifier.deliveries
  WHERE state IN ('pending', 'sending') AND organization_id IN (
    SELECT id FROM gateway.organizations WHERE created_at >= ${since})`

/** Prepared: to plan it takes Postgres 6 ms, for each poll. */
const unhandledEvents = (admin: postgres.Sql) => {
  const pairs = schemas.flatMap((from) => schemas.map((to) => ({ from, to })))
  const union = pairs
    .map(
      ({ from, to }) => `SELECT '${from}' AS producer, o.event_id, o.kind, c.consumer
      FROM ${from}.outbox o JOIN ${to}.consumers c ON o.kind = ANY (c.kinds)
      WHERE o.settled_at IS NULL AND NOT EXISTS (SELECT FROM ${to}.receipts r
        WHERE r.consumer = c.consumer AND r.event_id = o.event_id)`,
    )
    .join(' UNION ALL ')
  return admin`${admin.unsafe(union)}`
}
