/**
 * Proposes changes made outside of the repository: one branch and one pull request, which are
 * updated rather than repeated. Proposes only while the branch holds the last applied document;
 * otherwise the branch is applied first.
 */
import { createHash } from 'node:crypto'
import { AppError, type ConfigDrift } from '@status-page/contracts'
import { read, type Scope, transact, write } from '@status-page/postgres'
import type { Caller } from '@status-page/service'
import { and, eq, sql } from 'drizzle-orm'
import type { FileChange } from '../git/commit-file.ts'
import { GitFailure } from '../git/failure.ts'
import { parseRemote } from '../git/remote.ts'
import type { Repository } from '../git/repository.ts'
import { ProviderApiError } from '../providers/api.ts'
import { providers } from '../providers/providers.ts'
import { type GitSyncRow, gitSyncs, type Proposal } from '../tables.ts'
import { hasSameRepositorySource, PROPOSAL_BRANCH, settingsOf } from './settings.ts'
import { enqueueRun, findGitSync, lockGitSync, saveGitSync } from './store.ts'
import { type SyncDeps, syncActor, syncCaller, withSyncedRepository } from './sync.ts'

export interface WriteBackDeps extends SyncDeps {
  /** Base URL; its host is in the author's address of commits. */
  baseUrl: string
  /** Drift from the last applied document. */
  drift(caller: Caller): Promise<ConfigDrift>
  /** Live state as a document. */
  exportDocument(caller: Caller): Promise<string>
  /** Text of the last applied document from any source. */
  lastDocument(caller: Caller): Promise<string | null>
}

const TITLE = 'Status page: changes made outside of the repository'
const MAX_LINES = 200
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
  deps: WriteBackDeps,
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
  deps: WriteBackDeps,
  row: GitSyncRow,
  signal: AbortSignal,
): Promise<ProposalResult> => {
  const caller = syncCaller(row.organizationId)
  if (row.appliedBlob === null) return null
  const { drift } = await deps.drift(caller)
  const last = await deps.lastDocument(caller)
  const isApplied = last !== null && gitBlobIdOf(Buffer.from(last)) === row.appliedBlob
  if (drift.length === 0 && isApplied) return null
  const text = Buffer.from(await deps.exportDocument(caller))
  const blob = gitBlobIdOf(text)
  // The same document was proposed before; a closed pull request was declined.
  if (blob === row.appliedBlob || blob === row.proposal?.blob) return null
  return withSyncedRepository(deps, row, signal, async (repository, token) => {
    const parent = await repository.fetch(row.branch)
    const file = await repository.readFile(parent, row.configPath)
    if (file?.blob !== row.appliedBlob) return { head: parent }
    const description = describeDrift(drift)
    await pushProposal(repository, {
      parent,
      path: row.configPath,
      text,
      message: `${TITLE}\n\n${description}\n`,
      author: authorOf(deps.baseUrl),
    })
    const url = token === null ? null : await openRequest(deps, row, token, description)
    const proposedAt = new Date().toISOString()
    return { branch: PROPOSAL_BRANCH, url, blob, proposedAt, error: null }
  })
}

const pushProposal = async (repository: Repository, change: FileChange): Promise<void> =>
  repository.push(await repository.commitFile(change), PROPOSAL_BRANCH)

const authorOf = (baseUrl: string) => ({
  name: 'Status page',
  email: `status@${new URL(baseUrl).hostname}`,
})

/** Returns null for a provider without pull requests: only the branch is pushed. */
const openRequest = async (
  { outbound, git }: WriteBackDeps,
  row: GitSyncRow,
  token: string,
  description: string,
): Promise<string | null> => {
  const { openPullRequest } = providers[row.provider]
  const parsed = parseRemote(row.repositoryUrl, git.policy)
  if (openPullRequest === null || !parsed.ok) return null
  const branches = { branch: PROPOSAL_BRANCH, base: row.branch }
  const { remote } = parsed
  const draft = { outbound, remote, token, ...branches, title: TITLE, description }
  return (await openPullRequest(draft)).url
}

/**
 * Names belong to the tenant, as does the repository. Code spans prevent them from acting as
 * markup.
 */
const describeDrift = (drift: ConfigDrift['drift']): string => {
  const lines = drift.slice(0, MAX_LINES).map(({ resourceType, resourceName, reason, fields }) => {
    const name = resourceName.replaceAll('`', "'")
    const which = fields.length === 0 ? '' : `: ${fields.join(', ')}`
    return `- ${resourceType} \`${name}\` ${phrases[reason]}${which}`
  })
  if (drift.length === 0) return '- another document was applied'
  const rest = drift.length - lines.length
  return [...lines, ...(rest > 0 ? [`- and ${rest} more`] : [])].join('\n')
}

const phrases: Record<ConfigDrift['drift'][number]['reason'], string> = {
  not_in_config: 'was added',
  missing_in_system: 'was removed',
  modified: 'was changed',
}

/** Object id that git computes for the text. */
export const gitBlobIdOf = (text: Buffer): string =>
  createHash('sha1').update(`blob ${text.length}\0`).update(text).digest('hex')

const saveResult = (
  { database }: WriteBackDeps,
  { organizationId, leasedUntil }: ClaimedWriteBack,
  before: GitSyncRow | null,
  result: ProposalResult,
): Promise<void> =>
  transact(database, { organizationId, actor: syncActor }, async (scope) => {
    const row = await lockGitSync(scope)
    const nothing = { result: undefined, events: [], audit: [] }
    if (row === null) return nothing
    const isLast = row.writeBackDueAt?.getTime() === leasedUntil.getTime()
    if (isLast) await saveGitSync(scope, { writeBackDueAt: null })
    if (result !== null && 'head' in result) {
      // A document that was rejected once would be rejected again.
      if (row.autoSync && row.lastCommit !== result.head) await enqueueRun(scope, row, 'poll')
      return nothing
    }
    // The settings name another repository or branch by now; it has no proposal.
    if (result === null || before === null) return nothing
    if (!hasSameRepositorySource(settingsOf(row), settingsOf(before))) return nothing
    await saveGitSync(scope, { proposal: result })
    const about = { entityType: 'git_sync', entityId: row.id, entityName: row.repositoryUrl }
    const changes = { proposal: { to: { branch: result.branch, url: result.url } } }
    return { ...nothing, audit: [{ action: 'git_sync.update', ...about, changes }] }
  })

/** Stores the error; the due time that the claim set triggers the next attempt. */
const saveFailure = (
  deps: WriteBackDeps,
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

const describeError = (error: unknown, { logger }: WriteBackDeps): string => {
  const isKnown =
    error instanceof GitFailure || error instanceof ProviderApiError || error instanceof AppError
  if (isKnown) return error.message
  logger.error({ err: error }, 'failed to propose changes to a repository')
  return 'The changes could not be proposed'
}

/** Schedules a write-back after a change; a burst of changes causes a single one. */
export const scheduleWriteBack = async (scope: Scope): Promise<void> => {
  await setWriteBackDue(scope, new Date(scope.now.getTime() + DEBOUNCE_MS))
}

const DEBOUNCE_MS = 20_000
