/**
 * Re-evaluates targets whose combined status differs from the announced one once stale locations
 * are excluded. Runs on the holder of their shards at a location that is still active.
 */
import {
  type DerivedStatus,
  type EventDraft,
  PRIVATE_LOCATION_PREFIX,
  systemActor,
} from '@status-page/contracts'
import {
  asWorkerRaw,
  createDueItemsRun,
  type Database,
  type Job,
  type Scope,
  transact,
} from '@status-page/postgres'
import type { Shards } from '@status-page/schedule'
import { listByIds } from '../targets/store.ts'
import {
  type LocationReplica,
  recordHeartbeat,
  silenceSeconds,
} from '../verdicts/location-heartbeats.ts'
import { lockVerdict, settleVerdicts } from '../verdicts/store.ts'
import { combine } from '../verdicts/verdict.ts'

const INTERVAL_MS = 20_000
/** Maximum targets per run. */
const MAX_SETTLED = 500

export interface SilenceOptions extends LocationReplica {
  database: Database
  shards: Pick<Shards, 'held'>
}

export const silenceWork = (options: SilenceOptions): Job => {
  const { database, location, shards } = options
  const settleChanged = createDueItemsRun({
    batchSize: MAX_SETTLED,
    find: (limit) => findChanged(database, { location, shards: shards.held(), limit }),
    keyOf: ({ componentId }) => componentId,
    work: ({ organizationId, componentId }) =>
      transact(database, { organizationId, actor: systemActor }, async (scope) => ({
        result: true,
        events: await settle(scope, componentId),
        audit: [],
      })),
  })
  return {
    name: 'silence',
    intervalMs: INTERVAL_MS,
    async run(signal) {
      await recordHeartbeat(database, options)
      return (await settleChanged(signal)) === MAX_SETTLED ? 1 : 0
    },
  }
}

const settle = async (scope: Scope, componentId: string): Promise<EventDraft[]> => {
  const verdict = await lockVerdict(scope, componentId)
  const [target] = await listByIds(scope, [componentId])
  if (verdict === undefined || target === undefined || !target.isEnabled) return []
  const since = scope.now.toISOString()
  return settleVerdicts(scope, [{ target, verdict, since, result: null }])
}

interface Heard {
  organization_id: string
  component_id: string
  interval_seconds: number
  quorum: number | null
  announced: DerivedStatus
  /** Locations, with the seconds since their last heartbeat. */
  locations: string[]
  states: DerivedStatus[]
  silent_seconds: number[]
  /** Seconds for which this location has been continuously active. */
  continuous_seconds: number
}

/** Targets under maintenance are left out: their status is suppressed. */
const findChanged = (
  database: Database,
  { location, shards, limit }: { location: string; shards: readonly number[]; limit: number },
) =>
  asWorkerRaw(database, async ({ sql }) => {
    const rows = await sql<Heard[]>`
      SELECT t.organization_id, t.component_id, t.interval_seconds, t.quorum,
        v.derived_status AS announced, array_agg(s.location) AS locations,
        array_agg(s.derived_status) AS states,
        array_agg(coalesce(extract(epoch FROM now()
          - coalesce(h.last_heartbeat_at, p.last_contact_at)), 'infinity')::float8)
          AS silent_seconds,
        (SELECT extract(epoch FROM now() - continuous_since) FROM location_heartbeats
          WHERE location = ${location})::float8 AS continuous_seconds
      FROM targets t
      JOIN target_verdicts v USING (organization_id, component_id)
      JOIN target_states s USING (organization_id, component_id)
      LEFT JOIN location_heartbeats h ON h.location = s.location
      LEFT JOIN private_locations p ON p.organization_id = t.organization_id
        AND s.location = ${PRIVATE_LOCATION_PREFIX} || p.name
      WHERE t.shard = ANY (${[...shards]}::smallint[]) AND cardinality(t.locations) > 1
        AND t.is_enabled AND t.deleted_at IS NULL
        AND (v.suppressed_until IS NULL OR v.suppressed_until <= now())
      GROUP BY t.organization_id, t.component_id, v.derived_status
      HAVING bool_or(v.derived_status <> s.derived_status)`
    return rows
      .filter(saysSomethingElse)
      .slice(0, limit)
      .map((row) => ({ organizationId: row.organization_id, componentId: row.component_id }))
  })

const saysSomethingElse = (row: Heard): boolean => {
  const silence = silenceSeconds(row.interval_seconds)
  if (row.continuous_seconds < silence) return false
  const isHeard = (index: number) =>
    (row.silent_seconds[index] ?? Number.POSITIVE_INFINITY) < silence
  const locations = row.locations.filter((_, index) => isHeard(index))
  const states = row.states.filter((_, index) => isHeard(index))
  return (
    locations.length > 0 && combine({ locations, quorum: row.quorum }, states) !== row.announced
  )
}
