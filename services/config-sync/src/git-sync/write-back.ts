/**
 * Offers the repository what was changed by other ways: one branch, one request, brought up to date rather
 * than repeated. Only while the branch holds what was applied last: else the repository is ahead of us, and
 * what it says is to be applied first.
 */
import { createHash } from 'node:crypto'
import { AppError, type Drift } from '@status-page/contracts'
import { read, type Scope, transact } from '@status-page/postgres'
import type { Caller } from '@status-page/service'
import { and, eq, sql } from 'drizzle-orm'
import type { FileChange } from '../git/commit-file.ts'
import { GitFailure } from '../git/failure.ts'
import { parseRemote } from '../git/remote.ts'
import type { Repository } from '../git/repository.ts'
import { ApiRefusal } from '../providers/api.ts'
import { providers } from '../providers/providers.ts'
import { type GitSyncRow, gitSyncs, type Proposal } from '../tables.ts'
import { OFFER_BRANCH, readsTheSame, settingsOf } from './settings.ts'
import { enqueue, findSync, lockSync, saveSync } from './store.ts'
import { enter, type SyncDeps, syncActor, syncCaller } from './sync.ts'

export interface WriteBackDeps extends SyncDeps {
  /** Host of the commits' author. */
  baseUrl: string
  /** Against the document that was applied last. */
  drift(caller: Caller): Promise<Drift>
  /** The present state as a document. */
  exportDocument(caller: Caller): Promise<string>
  /** The one that was applied last, wherever it came from. */
  lastDocument(caller: Caller): Promise<string | null>
}

const TITLE = 'Status page: changes made outside of the repository'
const MAX_LINES = 200
/** How long an offer that came to nothing waits before it is tried again. */
export const RETRY_MS = 15 * 60_000

/** Sooner, if it was to be later. */
export const dueForWriteBack = async (scope: Scope, at: Date): Promise<void> => {
  const due = sql`${at.toISOString()}::timestamptz`
  await scope.tx
    .update(gitSyncs)
    .set({ writeBackDueAt: sql`least(coalesce(${gitSyncs.writeBackDueAt}, ${due}), ${due})` })
    .where(and(eq(gitSyncs.organizationId, scope.organizationId), eq(gitSyncs.writeBack, true)))
}

export interface ClaimedOffer {
  organizationId: string
  /** What the due time was set to by the claim: who finds another knows that something came since. */
  leasedUntil: Date
}

export const offerChanges = async (
  deps: WriteBackDeps,
  claimed: ClaimedOffer,
  signal: AbortSignal,
): Promise<void> => {
  const { organizationId } = claimed
  const row = await read(deps.database, organizationId, findSync)
  if (row === null || !row.writeBack) return settle(deps, claimed, row, null)
  try {
    return await settle(deps, claimed, row, await offer(deps, row, signal))
  } catch (error) {
    if (signal.aborted) return
    await fail(deps, row, sentenceOf(error, deps))
  }
}

/** The end of a branch that has to be applied before anything is offered to it. */
interface Behind {
  head: string
}

/** What is offered now; null where nothing is new. */
type Offered = Proposal | Behind | null

const offer = async (
  deps: WriteBackDeps,
  row: GitSyncRow,
  signal: AbortSignal,
): Promise<Offered> => {
  const caller = syncCaller(row.organizationId)
  if (row.appliedBlob === null) return null
  const { drift } = await deps.drift(caller)
  const last = await deps.lastDocument(caller)
  const isOurs = last !== null && blobOf(Buffer.from(last)) === row.appliedBlob
  if (drift.length === 0 && isOurs) return null
  const text = Buffer.from(await deps.exportDocument(caller))
  const blob = blobOf(text)
  // Offered before: whoever closed the request did not want it.
  if (blob === row.appliedBlob || blob === row.proposal?.blob) return null
  return enter(deps, row, signal, async (repository, token) => {
    const parent = await repository.fetch(row.branch)
    const file = await repository.readFile(parent, row.configPath)
    if (file?.blob !== row.appliedBlob) return { head: parent }
    const description = describe(drift)
    await pushOffer(repository, {
      parent,
      path: row.configPath,
      text,
      message: `${TITLE}\n\n${description}\n`,
      author: authorOf(deps.baseUrl),
    })
    const url = token === null ? null : await request(deps, row, token, description)
    const proposedAt = new Date().toISOString()
    return { branch: OFFER_BRANCH, url, blob, proposedAt, error: null }
  })
}

const pushOffer = async (repository: Repository, change: FileChange): Promise<void> =>
  repository.push(await repository.commitFile(change), OFFER_BRANCH)

const authorOf = (baseUrl: string) => ({
  name: 'Status page',
  email: `status@${new URL(baseUrl).hostname}`,
})

/** Null for a provider that has no requests: the branch is all. */
const request = async (
  { outbound, git }: WriteBackDeps,
  row: GitSyncRow,
  token: string,
  description: string,
): Promise<string | null> => {
  const { propose } = providers[row.provider]
  const parsed = parseRemote(row.repositoryUrl, git.policy)
  if (propose === null || !parsed.ok) return null
  const branches = { branch: OFFER_BRANCH, base: row.branch }
  const { remote } = parsed
  const asking = { outbound, remote, token, ...branches, title: TITLE, description }
  return (await propose(asking)).url
}

/** Names are the tenant's and go to the tenant's repository; a code span keeps them from being markup. */
const describe = (drift: Drift['drift']): string => {
  const lines = drift.slice(0, MAX_LINES).map(({ resourceType, resourceName, reason, fields }) => {
    const name = resourceName.replaceAll('`', "'")
    const which = fields.length === 0 ? '' : `: ${fields.join(', ')}`
    return `- ${resourceType} \`${name}\` ${phrases[reason]}${which}`
  })
  if (drift.length === 0) return '- another document was applied'
  const rest = drift.length - lines.length
  return [...lines, ...(rest > 0 ? [`- and ${rest} more`] : [])].join('\n')
}

const phrases: Record<Drift['drift'][number]['reason'], string> = {
  not_in_config: 'was added',
  missing_in_system: 'was removed',
  modified: 'was changed',
}

/** The object id that git gives to the text. */
export const blobOf = (text: Buffer): string =>
  createHash('sha1').update(`blob ${text.length}\0`).update(text).digest('hex')

const settle = (
  { database }: WriteBackDeps,
  { organizationId, leasedUntil }: ClaimedOffer,
  before: GitSyncRow | null,
  offered: Offered,
): Promise<void> =>
  transact(database, { organizationId, actor: syncActor }, async (scope) => {
    const row = await lockSync(scope)
    const nothing = { result: undefined, events: [], audit: [] }
    if (row === null) return nothing
    const isLast = row.writeBackDueAt?.getTime() === leasedUntil.getTime()
    if (isLast) await saveSync(scope, { writeBackDueAt: null })
    if (offered !== null && 'head' in offered) {
      // A document that was looked at and refused is refused again.
      if (row.autoSync && row.lastCommit !== offered.head) await enqueue(scope, row, 'poll')
      return nothing
    }
    // To another repository or branch nothing was offered.
    if (offered === null || before === null) return nothing
    if (!readsTheSame(settingsOf(row), settingsOf(before))) return nothing
    await saveSync(scope, { proposal: offered })
    const about = { entityType: 'git_sync', entityId: row.id, entityName: row.repositoryUrl }
    const changes = { proposal: { to: { branch: offered.branch, url: offered.url } } }
    return { ...nothing, audit: [{ action: 'git_sync.update', ...about, changes }] }
  })

/** Its due time stays as the claim set it: then it is tried again. */
const fail = (deps: WriteBackDeps, { organizationId }: GitSyncRow, error: string): Promise<void> =>
  transact(deps.database, { organizationId, actor: syncActor }, async (scope) => {
    const row = await lockSync(scope)
    const before = row?.proposal ?? {
      branch: OFFER_BRANCH,
      url: null,
      blob: null,
      proposedAt: null,
    }
    await saveSync(scope, { proposal: { ...before, error } })
    return { result: undefined, events: [], audit: [] }
  })

const sentenceOf = (error: unknown, { logger }: WriteBackDeps): string => {
  const isKnown =
    error instanceof GitFailure || error instanceof ApiRefusal || error instanceof AppError
  if (isKnown) return error.message
  logger.error({ err: error }, 'failed to propose changes to a repository')
  return 'The changes could not be proposed'
}

/** After a change that may have been made by other ways; a burst of them is one look. */
export const lookSoon = async (scope: Scope): Promise<void> => {
  await dueForWriteBack(scope, new Date(scope.now.getTime() + BURST_MS))
}

const BURST_MS = 20_000
