/** Statements that load the targets of shards, across organizations. */

import type { PolledKind, ProbeSettings } from '@status-page/contracts'
import { asWorkerRaw, type Database } from '@status-page/postgres'
import type { WantedItems } from '@status-page/schedule'
import { LRUCache } from 'lru-cache'
import { internState, type Runs, type TargetState } from '../verdicts/rules.ts'
import { type Certificate, warnedOf } from '../verdicts/verdict.ts'
import type { CheckDefinition, LoadedTarget } from './target.ts'

interface TargetRow {
  organization_id: string
  component_id: string
  version: number
  shard: number
  interval_seconds: number
  /** JSON of a `ProbeSettings`. */
  probe: string
  /** JSON of a `CheckDefinition`. */
  definition: string
  certificate_expires_at: Date | null
  warned_expires_at: Date | null
  certificate_warned_days: number | null
  revision: number
  derived_status: TargetState['derivedStatus']
  runs: Partial<Runs>
}

/**
 * Enabled targets of the shards, or of the ids, that are checked from the location; without those
 * that wait for a push.
 */
export const loadTargets = (
  database: Database,
  location: string,
  wanted: WantedItems,
): Promise<LoadedTarget[]> =>
  asWorkerRaw(database, async ({ sql }) => {
    const which =
      'shards' in wanted
        ? sql`t.shard = ANY (${[...wanted.shards]}::smallint[])`
        : sql`t.component_id = ANY (${[...wanted.ids]}::uuid[])`
    const rows = await sql<TargetRow[]>`
      SELECT t.organization_id, t.component_id, t.version, t.shard, t.interval_seconds,
        t.probe::text AS probe, json_build_object('timeoutMs', t.timeout_ms,
          'failureThreshold', t.failure_threshold,
          'recoveryThreshold', t.recovery_threshold)::text AS definition,
        s.revision, s.derived_status, s.runs, s.certificate_expires_at,
        v.warned_expires_at, v.certificate_warned_days
      FROM targets t
      JOIN target_states s USING (organization_id, component_id)
      JOIN target_verdicts v USING (organization_id, component_id)
      WHERE ${which} AND s.location = ${location} AND t.is_enabled AND t.deleted_at IS NULL
        AND t.interval_seconds IS NOT NULL`
    return rows.map(loadedTarget)
  })

const MAX_SHARED = 1_000
/** Equal values of many targets are one object; an evicted one costs memory only. */
const shared = <Value extends object | string>(parse: (text: string) => Value) =>
  new LRUCache<string, Value>({ max: MAX_SHARED, memoMethod: (text) => parse(text) })
const definitions = shared<CheckDefinition>(JSON.parse)
const settingValues = shared<object>(JSON.parse)
const organizationIds = shared(String)
const noCertificate: Certificate = Object.freeze({ expiresAt: null, warned: null })

const loadedTarget = (row: TargetRow): LoadedTarget => {
  const definition = definitions.memo(row.definition)
  const expiresAt = row.certificate_expires_at
  const warned = warnedOf(row.warned_expires_at, row.certificate_warned_days)
  return {
    id: row.component_id,
    organizationId: organizationIds.memo(row.organization_id),
    version: row.version,
    shard: row.shard,
    probe: settingsOf(row.probe),
    intervalMs: row.interval_seconds * 1000,
    definition,
    certificate: expiresAt === null && warned === null ? noCertificate : { expiresAt, warned },
    state: internState({ derivedStatus: row.derived_status, runs: row.runs }, definition),
    revision: row.revision,
  }
}

/** Parses settings; lists that are equal in many targets are one object. */
const settingsOf = (json: string): ProbeSettings<PolledKind> => {
  const settings: Record<string, unknown> = JSON.parse(json)
  for (const [name, value] of Object.entries(settings)) {
    if (typeof value !== 'object' || value === null) continue
    settings[name] = settingValues.memo(JSON.stringify(value))
  }
  return settings as unknown as ProbeSettings<PolledKind>
}

/** Versions of the enabled targets of the shards, to find what a lost notification left out. */
export const loadVersions = (
  database: Database,
  location: string,
  shards: readonly number[],
): Promise<Map<string, number>> =>
  asWorkerRaw(database, async ({ sql }) => {
    const rows = await sql<{ component_id: string; version: number }[]>`
      SELECT t.component_id, t.version FROM targets t
      JOIN target_states s USING (organization_id, component_id)
      WHERE t.shard = ANY (${[...shards]}::smallint[]) AND s.location = ${location}
        AND t.is_enabled AND t.deleted_at IS NULL AND t.interval_seconds IS NOT NULL`
    return new Map(rows.map(({ component_id, version }) => [component_id, version]))
  })
