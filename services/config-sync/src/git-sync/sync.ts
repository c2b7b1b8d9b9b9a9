/** One sync: fetches the branch, applies its document and records the result in the history. */
import {
  AppError,
  type ConfigApplyResult,
  conflict,
  type ErrorCode,
  type GitSyncReason,
  type GitSyncStatus,
  type Issue,
} from '@status-page/contracts'
import { type Database, read, transact } from '@status-page/postgres'
import { SealError, type Sealer } from '@status-page/secrets'
import type { Caller, Logger } from '@status-page/service'
import { GitFailure } from '../git/failure.ts'
import { parseRemote } from '../git/remote.ts'
import { type Repository, withRepository } from '../git/repository.ts'
import { ProviderApiError } from '../providers/api.ts'
import type { GitSyncRow, GitSyncRunRow, Proposal } from '../tables.ts'
import { syncActor, syncCaller } from './caller.ts'
import {
  findLiveChanges,
  type LiveChanges,
  nextBranchOf,
  type OpenedRepository,
  type ProposalDeps,
  proposeText,
  saveProposal,
} from './proposal.ts'
import { decryptCredential, resolveRepositoryAccess } from './secrets.ts'
import { hasSameRepositorySource, settingsOf } from './settings.ts'
import { findGitSync, lockGitSync, lockRun, saveGitSync, saveRun } from './store.ts'

export interface SyncDocument {
  text: string
  /** Commit that contains the document. */
  commit: string
  /** Throws 409 when changes were made through the API since they were proposed. */
  validateLiveState(): Promise<void>
}

export interface SyncDeps extends ProposalDeps {
  database: Database
  sealer: Sealer
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

/** Columns that are written at the end of a run. */
type RunResult = Partial<GitSyncRunRow> & { status: GitSyncStatus }

interface AttemptResult {
  run: RunResult
  /** New state of the repository. */
  sync: Partial<GitSyncRow>
  /** True if a later attempt may succeed. */
  isTransient: boolean
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
  read(database, claimed.organizationId, (scope) =>
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

interface SyncProgress {
  commit: string | null
  blob: string | null
  /** True while changes made outside of the repository are proposed. */
  isProposing: boolean
}

/**
 * Returns null for the document of the last sync if the live state has changed since: with
 * write-back a sync must not undo these changes. Before another document they are proposed.
 */
const fetchDocument = async (
  deps: SyncDeps,
  row: GitSyncRow,
  signal: AbortSignal,
  progress: SyncProgress,
): Promise<SyncDocument | null> =>
  withSyncedRepository(deps, row, signal, async (repository, token) => {
    const head = await repository.fetch(row.branch)
    progress.commit = head
    const file = await repository.readFile(head, row.configPath)
    if (file === null) throw new GitFailure('file_not_found')
    progress.isProposing = true
    const changes = row.writeBack ? await findLiveChanges(deps, row) : null
    if (changes !== null && file.blob === row.appliedBlob) return null
    if (changes !== null) {
      await proposeMerged(deps, row, { repository, token, head }, { changes, fetched: file.text })
    }
    progress.isProposing = false
    progress.blob = file.blob
    const validateLiveState = () => validateUnchanged(deps, row, changes)
    return { commit: head, text: textOf(file.text), validateLiveState }
  })

/** Throws 409 when the live state differs from the one whose changes were proposed. */
const validateUnchanged = async (
  deps: SyncDeps,
  row: GitSyncRow,
  proposed: LiveChanges | null,
): Promise<void> => {
  if (!row.writeBack) return
  const live = await findLiveChanges(deps, row)
  const isSame = live === null ? proposed === null : proposed?.text.equals(live.text) === true
  if (!isSame) throw conflict('version_mismatch', 'The configuration changed during the sync')
}

/** Proposes the changes as an addition to the fetched document, which will revert them. */
const proposeMerged = async (
  deps: SyncDeps,
  row: GitSyncRow,
  opened: OpenedRepository,
  { changes, fetched }: { changes: LiveChanges; fetched: Buffer },
): Promise<void> => {
  const { base, text: ours } = changes
  const text = base === null ? ours : await opened.repository.merge({ base, ours, theirs: fetched })
  if (text.equals(fetched)) return
  const proposal = await proposedText(deps, row, opened, { ...changes, text })
  const { organizationId } = row
  await transact(deps.database, { organizationId, actor: syncActor }, async (scope) => {
    const now = await lockGitSync(scope)
    const reverted = { ...proposal, revertedBy: opened.head }
    const audit = now === null ? [] : await saveProposal(scope, now, row, reverted)
    return { result: undefined, events: [], audit }
  })
}

/** Returns the proposal of the same changes, or proposes the text. */
const proposedText = async (
  deps: SyncDeps,
  row: GitSyncRow,
  opened: OpenedRepository,
  changes: LiveChanges,
): Promise<Proposal> => {
  const { proposal } = row
  if (proposal !== null && changes.isProposed) return proposal
  // Another attempt of this sync proposed the changes before; the document is not applied yet.
  const isRepeated = changes.base !== null && proposal?.revertedBy === opened.head
  const branch = isRepeated ? proposal.branch : nextBranchOf(row, opened.head)
  return proposeText(deps, row, opened, { ...changes, branch })
}

const failureResult = (
  deps: SyncDeps,
  error: unknown,
  { commit, isProposing }: SyncProgress,
): AttemptResult => {
  const { reason, text } = explain(error, deps.logger)
  const message = isProposing ? `${UNPROPOSED}: ${text}`.slice(0, MAX_ERROR) : text
  const run = { status: 'failed' as const, commit, reason, error: message }
  // A commit that was not applied for another reason than its content is synced by the next poll.
  const isRetryable = isTransient(error)
  const sync = isRetryable || isProposing ? {} : repositoryState(commit, null)
  return { run, sync, isTransient: isRetryable }
}

const UNPROPOSED = 'Changes made outside of the repository could not be proposed'

const transientCodes: readonly ErrorCode[] = [
  'SERVICE_UNAVAILABLE',
  'UPSTREAM_ERROR',
  'UPSTREAM_TIMEOUT',
]
const transientConflicts: readonly unknown[] = ['already_running', 'version_mismatch']

const isTransient = (error: unknown): boolean =>
  error instanceof AppError &&
  (transientCodes.includes(error.code) ||
    (error.code === 'CONFLICT' && transientConflicts.includes(error.details?.reason)))

const repositoryState = (
  lastCommit: string | null,
  appliedBlob: string | null,
): Partial<GitSyncRow> => ({
  ...(lastCommit === null ? {} : { lastCommit }),
  ...(appliedBlob === null ? {} : { appliedBlob }),
})

/** Opens the repository with the stored credential. */
export const withSyncedRepository = async <T>(
  deps: Pick<SyncDeps, 'sealer' | 'outbound' | 'git'>,
  row: GitSyncRow,
  signal: AbortSignal,
  work: (repository: Repository, token: string | null) => Promise<T>,
): Promise<T> => {
  const { sealer, outbound, git } = deps
  const parsed = parseRemote(row.repositoryUrl, git.policy)
  // The outbound policy changed after the settings were saved.
  if (!parsed.ok) throw new GitFailure('blocked')
  const { remote } = parsed
  const credential = decryptCredential(sealer, row)
  const settings = settingsOf(row)
  const { access, token } = await resolveRepositoryAccess({
    outbound,
    settings,
    credential,
    remote,
    now: new Date(),
  })
  return withRepository(git, { remote, access, signal }, (repository) => work(repository, token))
}

const textOf = (bytes: Buffer): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new GitFailure('invalid_document')
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

interface Explanation {
  reason: GitSyncReason
  text: string
}

const MAX_ERROR = 1000

const explain = (error: unknown, logger: Logger): Explanation => {
  if (error instanceof GitFailure) return { reason: error.reason, text: error.message }
  if (error instanceof ProviderApiError) return { reason: 'not_applied', text: error.message }
  if (error instanceof AppError) {
    const reason = error.code === 'VALIDATION_ERROR' ? 'invalid_document' : 'not_applied'
    return { reason, text: describeError(error).slice(0, MAX_ERROR) }
  }
  const alarm = error instanceof SealError ? { alarm: 'sealed_record' } : {}
  logger.error({ err: error, ...alarm }, 'git sync failed unexpectedly')
  return { reason: 'not_applied', text: 'The document could not be applied' }
}

/** Returns the first issue with its position and the number of others. */
const describeError = ({ message, details }: AppError): string => {
  const issues = (details?.issues ?? []) as (Issue & { line?: number; column?: number })[]
  const [first] = issues
  if (first === undefined) return message
  const place = first.line === undefined ? '' : `line ${first.line}, column ${first.column}: `
  const others = issues.length > 1 ? ` (and ${issues.length - 1} more)` : ''
  return `${place}${first.message}${others}`
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
      const nothing = { result: undefined }
      const row = await lockGitSync(scope)
      const run = await lockRun(scope, claimed)
      if (row === null || run === null) return nothing
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
      return { ...nothing, events: [], audit: [{ action: 'config.sync', ...about, changes }] }
    },
  )
