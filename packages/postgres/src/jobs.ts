/**
 * Loops of jobs: one per job, never two runs at once in a process; the state is in rows, not in
 * loops. Jobs that wait for due rows share one query: a transaction each at every interval was most
 * of the processor time of a service without work.
 */
import { runLoop, Wakeup, withTimeout } from '@status-page/concurrency'

const FIRST_BACKOFF_MS = 1_000
const MAX_BACKOFF_MS = 60_000
const JITTER = 0.2
/** Pause of a job whose due rows are watched, as a fallback. */
const WATCHED_PAUSE_MS = 60_000
/**
 * Maximum time that the first run of a job waits for that of the job before it. All at once would
 * open every connection of the pools, each a new process of Postgres.
 */
const FIRST_RUN_MS = 50

export interface Job {
  name: string
  /** Pause after a run that did nothing, with a jitter of a fifth. */
  intervalMs: number
  /** Condition in SQL, for the role of workers; while it is false, a run would find nothing. */
  due?: string | undefined
  /** Returns the number of items done; more than 0 starts the next run at once. */
  run(signal: AbortSignal): Promise<number>
  /** Called during a run that is long and can accept more work. */
  wake?(): void
}

/**
 * Items of one run that failed independently; the job continues as usual. The message is that of
 * the first failure.
 */
export class ItemFailures extends Error {
  readonly failures: readonly unknown[]
  /** Whether more items may be due. */
  readonly isBatchFull: boolean

  constructor(failures: readonly unknown[], { isBatchFull }: { isBatchFull: boolean }) {
    const [first] = failures
    super(first instanceof Error ? first.message : String(first), { cause: first })
    this.name = 'ItemFailures'
    this.failures = failures
    this.isBatchFull = isBatchFull
  }
}

export interface JobOptions {
  logger: { error(details: object, message: string): void }
  onError?: (job: Job, error: unknown) => void
  /** Reads which conditions of jobs are true; without it, each job polls. */
  readDue?: ((conditions: readonly string[]) => Promise<readonly boolean[]>) | undefined
}

export interface JobRunner {
  /** Ends the pause of one job, or of all. */
  wake(name?: string): void
  /** Aborts the signal of all runs; resolves when they have ended. */
  stop(): Promise<void>
}

/**
 * Condition that is true when the first row by the time is due. It reads one entry of the index of
 * that time; `EXISTS` could read the whole table.
 */
export const hasDueRow = (table: string, time: string, where = 'true'): string =>
  `(SELECT ${time} <= now() FROM ${table} WHERE ${time} IS NOT NULL AND ${where}
    ORDER BY ${time} LIMIT 1)`

export const startJobs = (jobs: readonly Job[], options: JobOptions): JobRunner => {
  const stopping = new AbortController()
  const { signal } = stopping
  const { readDue } = options
  let previous: Promise<void> | null = null
  const loops = jobs.map((job) => {
    const loop = startLoop(job, signal, options, previous)
    previous = loop.hasRun
    return { job, ...loop }
  })
  const watched = loops.filter(({ job }) => job.due !== undefined)
  const watch =
    readDue === undefined || watched.length === 0
      ? null
      : startLoop(dueWatch(watched, readDue), signal, options, null)
  return {
    wake(name) {
      for (const loop of loops) {
        if (name !== undefined && loop.job.name !== name) continue
        loop.wake()
        loop.job.wake?.()
      }
    },
    async stop() {
      stopping.abort()
      await Promise.all([...loops, watch].map((loop) => loop?.ended))
    },
  }
}

interface WatchedLoop {
  job: Job
  wakeForDue(): void
}

/** Job that wakes those with due rows. */
const dueWatch = (
  loops: readonly WatchedLoop[],
  readDue: NonNullable<JobOptions['readDue']>,
): Job => ({
  name: 'due-watch',
  intervalMs: Math.min(...loops.map(({ job }) => job.intervalMs)),
  async run() {
    const due = await readDue(loops.flatMap(({ job }) => job.due ?? []))
    for (const [index, loop] of loops.entries()) if (due[index] === true) loop.wakeForDue()
    return 0
  },
})

/** Starts after the first run of the previous job; a job with due rows, when the watch finds one. */
const startLoop = (
  job: Job,
  signal: AbortSignal,
  { logger, onError, readDue }: JobOptions,
  previous: Promise<void> | null,
) => {
  const wakeup = new Wakeup()
  const { promise: firstRun, resolve: onRun } = Promise.withResolvers<void>()
  const isWatched = job.due !== undefined && readDue !== undefined
  let failures = 0
  let nextDueMs = 0
  const loop: Parameters<typeof runLoop>[0] = {
    async run() {
      const done = await job.run(signal).finally(onRun)
      failures = 0
      return done > 0 ? 0 : jittered(isWatched ? WATCHED_PAUSE_MS : job.intervalMs)
    },
    onError(error) {
      if (signal.aborted) return 0
      onError?.(job, error)
      if (error instanceof ItemFailures) {
        const details = { err: error, job: job.name, failedItems: error.failures.length }
        logger.error(details, 'scheduled job failed for some items')
        const { intervalMs } = job
        return jittered(error.isBatchFull ? Math.min(FIRST_BACKOFF_MS, intervalMs) : intervalMs)
      }
      failures++
      logger.error({ err: error, job: job.name, failures }, 'scheduled job failed')
      return jittered(Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), MAX_BACKOFF_MS))
    },
    wakeup,
    signal,
  }
  const start = isWatched ? wakeup.wait(jittered(WATCHED_PAUSE_MS), signal) : previous
  return {
    wake: wakeup.wake,
    /** Wakes at most once per interval: rows that failed stay due. A failed run keeps its pause. */
    wakeForDue() {
      const nowMs = performance.now()
      if (failures > 0 || nowMs < nextDueMs) return
      nextDueMs = nowMs + job.intervalMs * (1 - JITTER)
      wakeup.wake()
    },
    ended: start === null ? runLoop(loop) : start.then(() => runLoop(loop)),
    hasRun: isWatched
      ? previous
      : Promise.resolve(previous).then(() => withTimeout(firstRun, FIRST_RUN_MS, () => {})),
  }
}

const jittered = (pauseMs: number) =>
  Math.max(1, Math.round(pauseMs * (1 - JITTER + 2 * JITTER * Math.random())))
