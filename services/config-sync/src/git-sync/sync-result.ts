/** Result of one attempt of a sync: the columns of its run, the state of the repository, retries. */
import {
  AppError,
  type ErrorCode,
  type GitSyncReason,
  type GitSyncStatus,
  type Issue,
} from '@status-page/contracts'
import { SealError } from '@status-page/secrets'
import type { Logger } from '@status-page/service'
import { GitFailure } from '../git/failure.ts'
import { ProviderApiError } from '../providers/api.ts'
import type { GitSyncRow, GitSyncRunRow } from '../tables.ts'
import type { SyncProgress } from './sync-document.ts'

/** Columns that are written at the end of a run. */
export type RunResult = Partial<GitSyncRunRow> & { status: GitSyncStatus }

export interface AttemptResult {
  run: RunResult
  /** New state of the repository. */
  sync: Partial<GitSyncRow>
  /** True if a later attempt may succeed. */
  isTransient: boolean
}

export const failureResult = (
  { logger }: { logger: Logger },
  error: unknown,
  { commit, isProposing }: SyncProgress,
): AttemptResult => {
  const explanation = explain(error, logger)
  const { reason, text } = isProposing ? unproposed(explanation) : explanation
  const run = { status: 'failed' as const, commit, reason, error: text }
  // A commit that was not applied for another reason than its content is synced by the next poll.
  const isRetryable = isTransient(error)
  const sync = isRetryable || isProposing ? {} : repositoryState(commit, null)
  return { run, sync, isTransient: isRetryable }
}

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

export const repositoryState = (
  lastCommit: string | null,
  appliedBlob: string | null,
): Partial<GitSyncRow> => ({
  ...(lastCommit === null ? {} : { lastCommit }),
  ...(appliedBlob === null ? {} : { appliedBlob }),
})

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
    return { reason, text: describeAppError(error).slice(0, MAX_ERROR) }
  }
  const alarm = error instanceof SealError ? { alarm: 'sealed_record' } : {}
  logger.error({ err: error, ...alarm }, 'git sync failed unexpectedly')
  return { reason: 'not_applied', text: 'An unexpected error occurred' }
}

const unproposed = ({ text }: Explanation): Explanation => ({
  reason: 'not_applied',
  text: `Changes made outside of the repository could not be proposed: ${text}`.slice(0, MAX_ERROR),
})

/**
 * Returns the first issue with its position and the number of others. The message of a failed call
 * is replaced: it names a service, which users do not know.
 */
export const describeAppError = ({ code, message, details }: AppError): string => {
  if (transientCodes.includes(code)) return 'The service was not available'
  const issues = (details?.issues ?? []) as (Issue & { line?: number; column?: number })[]
  const [first] = issues
  if (first === undefined) return message
  const place = first.line === undefined ? '' : `line ${first.line}, column ${first.column}: `
  const others = issues.length > 1 ? ` (and ${issues.length - 1} more)` : ''
  return `${place}${first.message}${others}`
}
