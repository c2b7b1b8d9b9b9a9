/**
 * Check of the clock of this machine against Postgres and the public address. Caller tokens,
 * webhook signatures and one-time passwords fail with a wrong clock; due times use that of Postgres.
 */
import type { Database } from '@status-page/postgres'
import { type Diagnosis, failed, ok, skipped } from './finding.ts'
import type { Settings } from './settings.ts'

const TIMEOUT_MS = 3_000
/** A caller token is reused for 45 of its 60 s; the rest covers differences of clocks. */
const MAX_DIFFERENCE_MS = 5_000
/** The header Date has whole seconds. */
const DATE_PRECISION_MS = 1_000

interface Reading {
  source: string
  /** Difference to this machine, positive when the source is ahead. */
  differenceMs: number
  /** Time that the reading took, within which the difference is uncertain. */
  uncertaintyMs: number
}

export const checkClock = async (
  database: Database | null,
  { BASE_URL }: Settings,
): Promise<Diagnosis[]> => {
  const readings = await Promise.all([
    database === null ? null : readDatabaseClock(database),
    BASE_URL === undefined || !URL.canParse(BASE_URL) ? null : readHttpClock(BASE_URL),
  ])
  const known = readings.filter((reading) => reading !== null)
  if (known.length === 0) return [skipped('Neither Postgres nor BASE_URL gives a time to compare.')]
  const wrong = known.filter(
    ({ differenceMs, uncertaintyMs }) => Math.abs(differenceMs) - uncertaintyMs > MAX_DIFFERENCE_MS,
  )
  if (wrong.length > 0) return wrong.map(wrongClock)
  return [
    ok(`The clock of this machine agrees with ${known.map(({ source }) => source).join(', ')}.`),
  ]
}

const wrongClock = ({ source, differenceMs }: Reading): Diagnosis => {
  const seconds = Math.round(Math.abs(differenceMs) / 1_000)
  const direction = differenceMs > 0 ? 'behind' : 'ahead of'
  return failed(
    `The clock of this machine is ${seconds} s ${direction} that of ${source}.`,
    'Synchronize both machines by NTP (chrony or systemd-timesyncd).',
  )
}

const readDatabaseClock = async ({ batchSql }: Database): Promise<Reading | null> => {
  const startedAt = Date.now()
  const [row] = await batchSql<{ ms: number }[]>`
    SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms`
  return row === undefined ? null : readingOf('Postgres', row.ms, startedAt)
}

/** Null when the address does not respond, which is not a fault of the clock. */
const readHttpClock = async (baseUrl: string): Promise<Reading | null> => {
  const startedAt = Date.now()
  try {
    const response = await fetch(new URL('/health', baseUrl), {
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    await response.body?.cancel()
    const at = Date.parse(response.headers.get('date') ?? '')
    if (Number.isNaN(at)) return null
    const reading = readingOf('BASE_URL', at + DATE_PRECISION_MS / 2, startedAt)
    return { ...reading, uncertaintyMs: reading.uncertaintyMs + DATE_PRECISION_MS }
  } catch {
    return null
  }
}

const readingOf = (source: string, atMs: number, startedAt: number): Reading => {
  const endedAt = Date.now()
  const differenceMs = atMs - (startedAt + endedAt) / 2
  return { source, differenceMs, uncertaintyMs: endedAt - startedAt }
}
