/**
 * Write-back of changes made outside of the repository. Proposes only while the branch holds the
 * last applied document; a sync proposes them otherwise, before it applies the branch.
 */
import { AppError } from '@status-page/contracts'
import { read, type Scope, transact, write } from '@status-page/postgres'
import { and, eq, sql } from 'drizzle-orm'
import { GitFailure } from '../git/failure.ts'
import { ProviderApiError } from '../providers/api.ts'
import { type GitSyncRow, gitSyncs, type Proposal } from '../tables.ts'
import { syncActor } from './caller.ts'
import { findLiveChanges, nextBranchOf, proposeText, saveProposal } from './proposal.ts'
import { PROPOSAL_BRANCH } from './settings.ts'
import { enqueueRun, findGitSync, lockGitSync, saveGitSync } from './store.ts'
import type { SyncDeps } from './sync.ts'
import { describeAppError } from './sync-result.ts'
import { withSyncedRepository } from './synced-repository.ts'

/** Delay until the next attempt after a failed proposal. */
export const RETRY_MS = 15 * 60_000

/** Moves the due time forward; never postpones it. */
export const setWriteBackDue = async (scope: Scope, at: Date): Promise<void> => {
  const due = sql`${at.toISOString()}::timestamptz`
  await scope.tx
    .update(gitSyncs)
    .set({ writeBackDueAt: sql`least(coalesce(${gitSyncs.writeBackDueAt}, ${due}), ${due})` })
    .where(and(eq(gitSyncs.organizationId, scope.organizationId), eq(gitSyncs.writeBack, true)))
}

export interface ClaimedWriteBack {
  organizationId: string
  /** Due time that the claim set; another value means that a change came in since. */
  leasedUntil: Date
}

export const runWriteBack = async (
  deps: SyncDeps,
  claimed: ClaimedWriteBack,
  signal: AbortSignal,
): Promise<void> => {
  const { organizationId } = claimed
  const row = await read(deps.database, organizationId, findGitSync)
  if (row === null || !row.writeBack) return saveResult(deps, claimed, row, null)
  try {
    return await saveResult(deps, claimed, row, await proposeChanges(deps, row, signal))
  } catch (error) {
    if (signal.aborted) return
    await saveFailure(deps, row, describeError(error, deps))
  }
}

/** Commit at the head of the branch that must be applied before anything is proposed. */
interface UnappliedHead {
  head: string
}

/** Result of a proposal; null if there is nothing new to propose. */
type ProposalResult = Proposal | UnappliedHead | null

const proposeChanges = async (
  deps: SyncDeps,
  row: GitSyncRow,
  signal: AbortSignal,
): Promise<ProposalResult> => {
  const changes = await findLiveChanges(deps, row)
  if (changes === null || changes.isProposed) return null
  return withSyncedRepository(deps, row, signal, async (repository, token) => {
    const head = await repository.fetch(row.branch)
    const file = await repository.readFile(head, row.configPath)
    if (file?.blob !== row.appliedBlob) return { head }
    const branch = nextBranchOf(row, head)
    return proposeText(deps, row, { repository, token, head }, { ...changes, branch })
  })
}

const saveResult = (
  { database }: SyncDeps,
  { organizationId, leasedUntil }: ClaimedWriteBack,
  before: GitSyncRow | null,
  result: ProposalResult,
): Promise<void> =>
  transact(database, { organizationId, actor: syncActor }, async (scope) => {
    const row = await lockGitSync(scope)
    const unrecorded = { result: undefined }
    if (row === null) return unrecorded
    const isLast = row.writeBackDueAt?.getTime() === leasedUntil.getTime()
    if (isLast) await saveGitSync(scope, { writeBackDueAt: null })
    if (result !== null && 'head' in result) {
      // A document that was rejected once would be rejected again.
      if (row.autoSync && row.lastCommit !== result.head) await enqueueRun(scope, row, 'poll')
      return unrecorded
    }
    if (result === null || before === null) return unrecorded
    const audit = await saveProposal(scope, row, before, result)
    return { result: undefined, events: [], audit }
  })

/** Stores the error; the due time that the claim set triggers the next attempt. */
const saveFailure = (
  deps: SyncDeps,
  { organizationId }: GitSyncRow,
  error: string,
): Promise<void> =>
  write(deps.database, { organizationId }, async (scope) => {
    const row = await lockGitSync(scope)
    const before = row?.proposal ?? {
      branch: PROPOSAL_BRANCH,
      url: null,
      blob: null,
      proposedAt: null,
    }
    await saveGitSync(scope, { proposal: { ...before, error } })
  })

const describeError = (error: unknown, { logger }: SyncDeps): string => {
  if (error instanceof AppError) return describeAppError(error)
  if (error instanceof GitFailure || error instanceof ProviderApiError) return error.message
  logger.error({ err: error }, 'failed to propose changes to a repository')
  return 'The changes could not be proposed'
}

/** Schedules a write-back after a change; a burst of changes causes a single one. */
export const scheduleWriteBack = async (scope: Scope): Promise<void> => {
  await setWriteBackDue(scope, new Date(scope.now.getTime() + DEBOUNCE_MS))
}

const DEBOUNCE_MS = 20_000
