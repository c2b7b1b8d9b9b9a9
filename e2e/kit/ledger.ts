/** What was owed against what arrived, and whether an installation has come to rest. */
import { type IncidentStatus, schemaOf, services } from '@status-page/contracts'
import { eventually } from '@status-page/testing'
import type postgres from 'postgres'
import type { Test } from 'tap'
import type { Heard } from './receivers.ts'

/** Above two sweeps: the first may meet an event that is just being handled. */
const REST_TIMEOUT_MS = 100_000

/** One event that a destination is owed. */
export interface Told {
  incidentId: string
  version: number
  kind: string
  status: IncidentStatus
}

export interface Allowance {
  /** Messages that may come once more: one a crash between a receiver's answer and its record. */
  repeats: number
}

/** Nothing missing, nothing extra, nothing twice but what is allowed, and nothing after what is newer. */
export const assertTold = (
  t: Test,
  owed: readonly Told[],
  heard: readonly Heard[],
  { repeats }: Allowance = { repeats: 0 },
): void => {
  const firsts = heard.filter(
    (one, index) => !heard.slice(0, index).some(({ key }) => key === one.key),
  )
  const isWebhook = heard.some(({ version }) => version !== undefined)
  const name = (one: Told | Heard) =>
    isWebhook
      ? `${one.incidentId} v${one.version} ${one.kind} ${one.status}`
      : `${one.incidentId} ${one.status}`
  t.same(firsts.map(name).sort(), owed.map(name).sort(), 'every event once, and no other')
  t.ok(heard.length - firsts.length <= repeats, `at most ${repeats} repeated`)
  t.same(outOfOrder(heard), [], 'versions of an incident never go backwards')
}

const outOfOrder = (heard: readonly Heard[]): Heard[] => {
  const newest = new Map<string, number>()
  return heard.filter(({ incidentId, version = 0 }) => {
    const before = newest.get(incidentId) ?? 0
    newest.set(incidentId, Math.max(before, version))
    return version < before
  })
}

/** All events that exist now are settled, nothing is being sent or waits, and nothing was given up. */
export const assertAtRest = async (t: Test, admin: postgres.Sql): Promise<void> => {
  const marks = new Map<string, string>()
  for (const schema of services.map(schemaOf)) {
    const [row] =
      await admin`SELECT coalesce(max(seq), 0)::text AS seq FROM ${admin(schema)}.outbox`
    marks.set(schema, row?.seq)
  }
  const open = async () => {
    const waiting = await admin`
      SELECT id, kind, state, reason FROM notifier.deliveries WHERE state IN ('pending', 'sending')`
    const found: object[] = [...waiting]
    for (const [schema, seq] of marks) {
      const rows = await admin`SELECT event_id, kind, published_at FROM ${admin(schema)}.outbox
        WHERE settled_at IS NULL AND seq <= ${seq}`
      found.push(...rows)
    }
    return found
  }
  const isAtRest = async () => (await open()).length === 0
  await eventually(isAtRest, { timeoutMs: REST_TIMEOUT_MS }).catch(() => {})
  t.same(await open(), [], 'no event is unsettled, no delivery waits or is being sent')
  for (const schema of services.map(schemaOf)) {
    const dead =
      await admin`SELECT consumer, subject, tries, error FROM ${admin(schema)}.dead_event`
    t.same(dead, [], `${schema} has no dead events`)
  }
}
