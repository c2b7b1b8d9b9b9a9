/**
 * Which locations have a say. A location that nobody checks from any more keeps what it said last for a
 * few intervals; then it votes neither down nor up, until it checks again.
 */
import type { Database, Scope } from '@status-page/postgres'
import { sql } from 'drizzle-orm'

/** A restart of the only replica of a location is no silence. */
const MIN_SILENCE_SECONDS = 90
const SILENT_INTERVALS = 3

export const silenceSeconds = (intervalSeconds: number): number =>
  Math.max(MIN_SILENCE_SECONDS, SILENT_INTERVALS * intervalSeconds)

/** Says that there is a replica at the location. */
export const speakFor = async ({ hot }: Pick<Database, 'hot'>, location: string): Promise<void> => {
  await hot`INSERT INTO location_heard (location, heard_at) VALUES (${location}, now())
    ON CONFLICT (location) DO UPDATE SET heard_at = EXCLUDED.heard_at`
}

/** The locations that were heard of within some intervals of a target. */
export const listHeard = async (
  { tx }: Scope,
  { intervalSeconds }: { intervalSeconds: number },
): Promise<Set<string>> => {
  const rows = await tx.execute<{ location: string }>(sql`SELECT location FROM location_heard
    WHERE heard_at > now() - ${silenceSeconds(intervalSeconds)} * interval '1 s'`)
  return new Set(rows.map(({ location }) => location))
}
