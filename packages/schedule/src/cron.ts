/**
 * Times of a cron expression in a time zone. A time that a change to daylight-saving time skips is
 * the first one after the gap; one that the change back repeats is its first occurrence.
 */
import { Cron } from 'croner'
import { LRUCache } from 'lru-cache'

export interface CronSchedule {
  cron: string
  /** IANA name. */
  timezone: string
}

/** Parsed expressions: parsing takes about 100 times as long as the next time. */
const MAX_PARSED = 10_000

const parsed = new LRUCache<string, Cron, CronSchedule>({
  max: MAX_PARSED,
  memoMethod: (_key, _stale, { context: { cron, timezone } }) =>
    new Cron(cron, { timezone, mode: '5-part', paused: true }),
})

const parse = (schedule: CronSchedule): Cron =>
  parsed.memo(`${schedule.timezone} ${schedule.cron}`, { context: schedule })

/** Five fields, or a name; croner also reads a time in ISO 8601. */
const FORM = /^\s*(?:@[a-z]+|\S+(?:\s+\S+){4})\s*$/i

/** Problem of an expression, or null; the time zone is valid. */
export const cronProblem = (schedule: CronSchedule, nowMs: number): string | null => {
  if (!FORM.test(schedule.cron)) return 'must have five fields, such as 30 2 * * *'
  try {
    return cronTimeAfter(schedule, nowMs) === null ? 'never fires' : null
  } catch {
    return 'is not a cron expression with five fields, such as 30 2 * * *'
  }
}

/** First time after `timeMs`; null when there is none. */
export const cronTimeAfter = (schedule: CronSchedule, timeMs: number): number | null =>
  parse(schedule).nextRun(new Date(timeMs))?.getTime() ?? null

/** Newest time that is not after `timeMs`; null when there is none. */
export const cronTimeUntil = (schedule: CronSchedule, timeMs: number): number | null =>
  parse(schedule)
    .previousRuns(1, new Date(timeMs + 1))[0]
    ?.getTime() ?? null
