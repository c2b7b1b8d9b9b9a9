/**
 * Times of the last use of keys and sessions: collected in memory, written in batches, at most once
 * a minute per credential.
 */
import { asWorkerRaw, type Database, type Job } from '@status-page/postgres'

const MIN_INTERVAL_MS = 60_000
const FLUSH_MS = 5_000
const MAX_PENDING = 10_000

interface UsedCredential {
  organizationId: string
  id: string
}

export interface LastUsedRecorder {
  keyUsed(key: UsedCredential & { lastUsedAt: Date | null }, now: Date): void
  sessionUsed(session: UsedCredential & { lastSeenAt: Date }, now: Date): void
  flush: Job
}

export const createLastUsedRecorder = (database: Database): LastUsedRecorder => {
  const keys = new Map<string, UsedCredential & { at: Date }>()
  const sessions = new Map<string, UsedCredential & { at: Date }>()

  const record = (
    pending: Map<string, UsedCredential & { at: Date }>,
    used: UsedCredential,
    last: Date | null,
    at: Date,
  ) => {
    if (last !== null && at.getTime() - last.getTime() < MIN_INTERVAL_MS) return
    if (pending.size >= MAX_PENDING || pending.has(used.id)) return
    pending.set(used.id, { organizationId: used.organizationId, id: used.id, at })
  }

  const flush = async () => {
    const [usedKeys, usedSessions] = [[...keys.values()], [...sessions.values()]]
    if (usedKeys.length + usedSessions.length === 0) return 0
    await asWorkerRaw(database, async ({ sql }) => {
      await sql`
        UPDATE api_keys AS k SET last_used_at = u.at
        FROM unnest(${usedKeys.map((used) => used.organizationId)}::uuid[],
          ${usedKeys.map((used) => used.id)}::uuid[],
          ${usedKeys.map((used) => used.at.toISOString())}::timestamptz[]) AS u (organization_id, id, at)
        WHERE k.organization_id = u.organization_id AND k.id = u.id
          AND (k.last_used_at IS NULL OR k.last_used_at <= u.at - interval '1 minute')`
      await sql`
        UPDATE sessions AS s SET last_seen_at = u.at
        FROM unnest(${usedSessions.map((used) => used.organizationId)}::uuid[],
          ${usedSessions.map((used) => used.id)}::uuid[],
          ${usedSessions.map((used) => used.at.toISOString())}::timestamptz[]) AS u (organization_id, id, at)
        WHERE s.organization_id = u.organization_id AND s.id = u.id AND s.last_seen_at < u.at`
    })
    for (const { id } of usedKeys) keys.delete(id)
    for (const { id } of usedSessions) sessions.delete(id)
    return 0
  }

  return {
    keyUsed: (key, now) => record(keys, key, key.lastUsedAt, now),
    sessionUsed: (session, now) => record(sessions, session, session.lastSeenAt, now),
    flush: { name: 'use-marks', intervalMs: FLUSH_MS, run: flush },
  }
}
