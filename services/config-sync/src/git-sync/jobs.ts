/**
 * Jobs of Git sync: runs, polls and write-backs. Rows are leased, so that no work is lost with a
 * process.
 */
import { renewWhile } from '@status-page/concurrency'
import {
  asWorker,
  type Database,
  hasDueRow,
  type Job,
  newId,
  read,
  write,
} from '@status-page/postgres'
import { sql } from 'drizzle-orm'
import { gitHookReceipts, gitSyncRuns, gitSyncs } from '../tables.ts'
import { concurrentJob, type RepositoryWork, SLOW_AFTER_MS } from './concurrent-job.ts'
import { nextPollAt } from './polling.ts'
import { enqueueRun, findGitSync, lockGitSync } from './store.ts'
import { type ClaimedSync, runSync, type SyncDeps } from './sync.ts'
import { withSyncedRepository } from './synced-repository.ts'
import { RETRY_MS, runWriteBack, setWriteBackDue } from './write-back.ts'

export interface GitSyncJobDeps extends SyncDeps {
  pollMinutes: number
  /** Age from which an access to a repository counts as slow; smaller in tests. */
  slowAfterMs?: number
}

const LEASE_MS = 30_000
const RENEW_MS = 8_000
const RETENTION_INTERVAL_MS = 3_600_000
const RETENTION_DAYS = 90
const RECEIPT_RETENTION_HOURS = 24
const BATCH_ROWS = 1_000

export const GIT_SYNC_JOB = 'git-sync'

export const gitSyncJobs = (deps: GitSyncJobDeps): Job[] => {
  const { database, slowAfterMs = SLOW_AFTER_MS } = deps
  const slow = { slowAfterMs, slowOrganizations: new Set<string>() }
  return [
    concurrentJob({
      name: GIT_SYNC_JOB,
      due: `(SELECT true FROM git_sync_runs WHERE status IN ('queued', 'running')
        ORDER BY created_at LIMIT 1)`,
      claim: (excluded) => claimRun(deps, excluded),
      ...slow,
    }),
    concurrentJob({
      name: 'git-poll',
      due: hasDueRow('git_syncs', 'next_poll_at'),
      claim: (excluded) => claimPoll(deps, excluded),
      ...slow,
    }),
    concurrentJob({
      name: 'git-write-back',
      due: hasDueRow('git_syncs', 'write_back_due_at', 'write_back'),
      claim: (excluded) => claimWriteBack(deps, excluded),
      ...slow,
    }),
    {
      name: 'git-sync-retention',
      intervalMs: RETENTION_INTERVAL_MS,
      run: () => deleteExpired(database),
    },
  ]
}

/** Condition on the organization of a row. */
const isIncluded = (excluded: readonly string[]) =>
  sql`organization_id <> ALL(${sql.param(excluded)}::uuid[])`

interface ClaimedRow extends Record<string, unknown> {
  id: string
  organization_id: string
  attempts: number
  created_at: string
}

const claimRun = async (
  deps: GitSyncJobDeps,
  excluded: readonly string[],
): Promise<RepositoryWork | null> => {
  const owner = newId()
  const claimed = await asWorker(deps.database, async ({ tx, now }) => {
    const at = now.toISOString()
    const [row] = await tx.execute<ClaimedRow>(sql`
      UPDATE ${gitSyncRuns} SET status = 'running', owner = ${owner}, attempts = attempts + 1,
        lease_until = ${at}::timestamptz + make_interval(secs => ${LEASE_MS / 1000})
      WHERE id = (
        SELECT id FROM ${gitSyncRuns} run
        WHERE ${isIncluded(excluded)}
          AND ((status = 'running' AND lease_until < ${at}::timestamptz)
            OR (status = 'queued' AND NOT EXISTS (SELECT FROM ${gitSyncRuns} other
              WHERE other.organization_id = run.organization_id AND other.status = 'running')))
        ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING id, organization_id, attempts, created_at`)
    if (row === undefined) return null
    const { id, organization_id: organizationId, attempts } = row
    return { id, organizationId, owner, attempts, createdAt: new Date(row.created_at) }
  })
  if (claimed === null) return null
  const { organizationId } = claimed
  return { organizationId, run: (signal) => runWithLease(deps, claimed, signal) }
}

/** Renews the lease during the work and aborts the work when the lease is lost. */
const runWithLease = (deps: GitSyncJobDeps, claimed: ClaimedSync, stopping: AbortSignal) => {
  const lost = new AbortController()
  const signal = AbortSignal.any([stopping, lost.signal])
  const renew = async () => {
    if (!(await renewLease(deps.database, claimed))) lost.abort()
  }
  return renewWhile({ intervalMs: RENEW_MS, renew }, () => runSync(deps, claimed, signal))
}

/** Returns false when the lease was lost. */
const renewLease = (
  database: Database,
  { organizationId, id, owner }: ClaimedSync,
): Promise<boolean> =>
  write(database, { organizationId }, async ({ tx, now }) => {
    const rows = await tx.execute(sql`
      UPDATE ${gitSyncRuns}
      SET lease_until = ${now.toISOString()}::timestamptz + make_interval(secs => ${LEASE_MS / 1000})
      WHERE organization_id = ${organizationId} AND id = ${id} AND owner = ${owner} RETURNING id`)
    return rows.length > 0
  })

const claimPoll = async (
  deps: GitSyncJobDeps,
  excluded: readonly string[],
): Promise<RepositoryWork | null> => {
  const organizationId = await asWorker(deps.database, async ({ tx, now }) => {
    const [row] = await tx.execute<{ organization_id: string }>(sql`
      UPDATE ${gitSyncs} SET next_poll_at = ${nextPollAt(now, deps.pollMinutes).toISOString()}::timestamptz
      WHERE id = (SELECT id FROM ${gitSyncs}
        WHERE next_poll_at <= ${now.toISOString()}::timestamptz AND ${isIncluded(excluded)}
        ORDER BY next_poll_at LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING organization_id`)
    return row?.organization_id ?? null
  })
  if (organizationId === null) return null
  return { organizationId, run: (signal) => poll(deps, organizationId, signal) }
}

/**
 * Queues a sync if the branch has a new commit, which covers lost webhooks, and schedules a
 * write-back.
 */
const poll = async (deps: GitSyncJobDeps, organizationId: string, signal: AbortSignal) => {
  const { database, logger } = deps
  const row = await read(database, organizationId, findGitSync)
  if (row === null) return
  const head = await withSyncedRepository(deps, row, signal, (repository) =>
    repository.head(row.branch),
  ).catch((error: unknown) => {
    logger.info({ err: error, gitSync: row.id }, 'failed to read a repository')
    return null
  })
  if (head === null) return
  await write(database, { organizationId }, async (scope) => {
    const now = await lockGitSync(scope)
    if (now?.writeBack) await setWriteBackDue(scope, scope.now)
    if (now?.autoSync && now.lastCommit !== head) await enqueueRun(scope, now, 'poll')
  })
}

const claimWriteBack = async (
  deps: GitSyncJobDeps,
  excluded: readonly string[],
): Promise<RepositoryWork | null> => {
  const claimed = await asWorker(deps.database, async ({ tx, now }) => {
    const [row] = await tx.execute<{ organization_id: string; write_back_due_at: string }>(sql`
      UPDATE ${gitSyncs}
      SET write_back_due_at = ${now.toISOString()}::timestamptz + make_interval(secs => ${RETRY_MS / 1000})
      WHERE id = (SELECT id FROM ${gitSyncs} WHERE write_back
        AND write_back_due_at <= ${now.toISOString()}::timestamptz AND ${isIncluded(excluded)}
        ORDER BY write_back_due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING organization_id, write_back_due_at`)
    return row ?? null
  })
  if (claimed === null) return null
  const { organization_id: organizationId, write_back_due_at: leasedUntil } = claimed
  const claimedWriteBack = { organizationId, leasedUntil: new Date(leasedUntil) }
  return { organizationId, run: (signal) => runWriteBack(deps, claimedWriteBack, signal) }
}

const deleteExpired = async (database: Database): Promise<number> => {
  const runs = await asWorker(database, ({ tx, now }) =>
    tx.execute(sql`DELETE FROM ${gitSyncRuns} WHERE id IN (SELECT id FROM ${gitSyncRuns}
      WHERE created_at < ${now.toISOString()}::timestamptz - make_interval(days => ${RETENTION_DAYS})
      LIMIT ${BATCH_ROWS}) RETURNING id`),
  )
  const receipts = await asWorker(database, ({ tx, now }) =>
    tx.execute(sql`DELETE FROM ${gitHookReceipts}
      WHERE at < ${now.toISOString()}::timestamptz - make_interval(hours => ${RECEIPT_RETENTION_HOURS})
      RETURNING at`),
  )
  return runs.length + receipts.length
}
