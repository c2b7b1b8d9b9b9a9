/** One sync: fetches the branch, applies its document and records the result in the history. */
import type { ConfigApplyResult } from '@status-page/contracts'
import { read, transact, write } from '@status-page/postgres'
import type { Caller, Logger } from '@status-page/service'
import type { GitSyncRow, GitSyncRunRow } from '../tables.ts'
import { syncActor, syncCaller } from './caller.ts'
import { hasSameRepositorySource, settingsOf } from './settings.ts'
import { findGitSync, lockGitSync, lockRun, saveGitSync, saveRun } from './store.ts'
import {
  fetchDocument,
  type SyncDocument,
  type SyncDocumentDeps,
  type SyncProgress,
} from './sync-document.ts'
import {
  type AttemptResult,
  failureResult,
  type RunResult,
  repositoryState,
} from './sync-result.ts'

export interface SyncDeps extends SyncDocumentDeps {
  logger: Logger
  /** Applies a document without prune as this caller; throws an AppError on rejection. */
  apply(caller: Caller, document: SyncDocument): Promise<ConfigApplyResult>
  /** Counts of changes from a commit since then; null if it changed nothing. */
  findChanges(organizationId: string, commit: string, since: Date): Promise<SyncCounts | null>
}

export type SyncCounts = Pick<GitSyncRunRow, 'createdCount' | 'updatedCount' | 'deletedCount'>

export interface ClaimedSync {
  organizationId: string
  id: string
  owner: string
  /** Number of attempts including the current one. */
  attempts: number
  createdAt: Date
}

/** Maximum attempts of a run: another apply or a restarting service is a transient failure. */
const MAX_ATTEMPTS = 5
const RETRY_DELAY_MS = 10_000

export const runSync = async (
  deps: SyncDeps,
  claimed: ClaimedSync,
  signal: AbortSignal,
): Promise<void> => {
  const { organizationId, attempts } = claimed
  const row = await read(deps.database, organizationId, findGitSync)
  if (row === null) return
  // Repeatedly interrupted runs are caused by the process, not by the document.
  if (attempts > MAX_ATTEMPTS) return finish(deps, claimed, row, tooManyAttempts)
  const result = await attempt(deps, claimed, row, signal)
  const { run, isTransient } = result
  // An aborted or lost run starts again in the next process.
  if (signal.aborted && run.status === 'failed') return release(deps, claimed, 0)
  if (isTransient && attempts < MAX_ATTEMPTS) return release(deps, claimed, RETRY_DELAY_MS)
  await finish(deps, claimed, row, result)
}

const tooManyAttempts: AttemptResult = {
  run: { status: 'failed', reason: 'not_applied', error: 'The sync was interrupted several times' },
  sync: {},
  isTransient: false,
}

/** Sets the lease of a run of this owner; any process can claim it afterwards. */
const release = ({ database }: SyncDeps, claimed: ClaimedSync, afterMs: number): Promise<void> =>
  write(database, claimed, (scope) =>
    saveRun(scope, claimed, { leaseUntil: new Date(scope.now.getTime() + afterMs) }),
  )

const attempt = async (
  deps: SyncDeps,
  claimed: ClaimedSync,
  row: GitSyncRow,
  signal: AbortSignal,
): Promise<AttemptResult> => {
  const progress: SyncProgress = { commit: null, blob: null, isProposing: false }
  try {
    const document = await fetchDocument(deps, row, signal, progress)
    const sync = repositoryState(progress.commit, progress.blob)
    if (document === null) {
      return { run: { status: 'no_changes', commit: progress.commit }, sync, isTransient: false }
    }
    const applied = await deps.apply(syncCaller(row.organizationId), document)
    const changes = await countChanges(deps, claimed, { applied, commit: document.commit })
    return { run: successResult(applied, document.commit, changes), sync, isTransient: false }
  } catch (error) {
    return failureResult(deps, error, progress)
  }
}

const countsOf = ({ created, updated, deleted }: ConfigApplyResult): SyncCounts => ({
  createdCount: created.length,
  updatedCount: updated.length,
  deletedCount: deleted.length,
})

const isChange = (changes: SyncCounts): boolean => Object.values(changes).some((count) => count > 0)

/**
 * Counts of changes. An earlier attempt may have changed everything before its process died; its
 * apply was finished by a job.
 */
const countChanges = async (
  deps: SyncDeps,
  { organizationId, attempts, createdAt }: ClaimedSync,
  { applied, commit }: { applied: ConfigApplyResult; commit: string },
): Promise<SyncCounts> => {
  const own = countsOf(applied)
  if (attempts === 1 || isChange(own)) return own
  return (await deps.findChanges(organizationId, commit, createdAt)) ?? own
}

const successResult = (
  { configVersion }: ConfigApplyResult,
  commit: string,
  changes: SyncCounts,
): RunResult => {
  const status = isChange(changes) ? 'success' : 'no_changes'
  return { status, commit, configVersion, ...changes }
}

const finish = (
  { database }: SyncDeps,
  claimed: ClaimedSync,
  before: GitSyncRow,
  { run: runResult, sync }: AttemptResult,
): Promise<void> =>
  transact(
    database,
    { organizationId: claimed.organizationId, actor: syncActor },
    async (scope) => {
      const unrecorded = { result: undefined }
      const row = await lockGitSync(scope)
      const run = await lockRun(scope, claimed)
      if (row === null || run === null) return unrecorded
      const { now } = scope
      await saveRun(scope, claimed, {
        ...runResult,
        finishedAt: now,
        leaseUntil: null,
        owner: null,
      })
      // The result does not apply to another repository, branch or file.
      const isSame = hasSameRepositorySource(settingsOf(row), settingsOf(before))
      const lastSync = { lastSyncAt: now, lastSyncStatus: runResult.status }
      await saveGitSync(scope, { ...(isSame ? sync : {}), ...lastSync })
      const changes = { status: { from: run.status, to: runResult.status } }
      const about = {
        entityType: 'git_sync',
        entityId: run.gitSyncId,
        entityName: runResult.commit ?? null,
      }
      const audit = [{ action: 'config.sync', ...about, changes }]
      return { result: undefined, events: [], audit }
    },
  )
