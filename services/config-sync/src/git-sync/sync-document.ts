/**
 * Document of a sync, from the head of the branch. Changes made outside of the repository, which the
 * document would revert, are proposed before it is applied.
 */
import { conflict, invalid } from '@status-page/contracts'
import { type Database, transact } from '@status-page/postgres'
import { GitFailure } from '../git/failure.ts'
import type { GitSyncRow, Proposal } from '../tables.ts'
import { syncActor } from './caller.ts'
import {
  findLiveChanges,
  type LiveChanges,
  nextBranchOf,
  type OpenedRepository,
  type ProposalDeps,
  proposeText,
  saveProposal,
} from './proposal.ts'
import { lockGitSync } from './store.ts'
import { type RepositoryDeps, withSyncedRepository } from './synced-repository.ts'

export interface SyncDocument {
  text: string
  /** Commit that contains the document. */
  commit: string
  /** Throws 409 when changes were made through the API since they were proposed. */
  validateLiveState(): Promise<void>
}

export interface SyncDocumentDeps extends ProposalDeps, RepositoryDeps {
  database: Database
}

export interface SyncProgress {
  commit: string | null
  blob: string | null
  /** True while changes made outside of the repository are proposed. */
  isProposing: boolean
}

/**
 * Returns null for the document of the last sync if the live state has changed since: with
 * write-back a sync must not undo these changes. Before another document they are proposed.
 */
export const fetchDocument = async (
  deps: SyncDocumentDeps,
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
  deps: SyncDocumentDeps,
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
  deps: SyncDocumentDeps,
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
  deps: SyncDocumentDeps,
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

const textOf = (bytes: Buffer): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalid({ field: 'configPath', message: 'The file is not encoded in UTF-8' })
  }
}
