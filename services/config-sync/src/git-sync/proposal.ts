/**
 * Proposal of changes made outside of the repository: one branch and one pull request, which are
 * updated rather than repeated.
 */
import { createHash } from 'node:crypto'
import type { AuditDraft, ConfigDrift } from '@status-page/contracts'
import type { Outbound } from '@status-page/outbound'
import type { Scope } from '@status-page/postgres'
import type { Caller } from '@status-page/service'
import { parseRemote } from '../git/remote.ts'
import type { GitContext, Repository } from '../git/repository.ts'
import { providers } from '../providers/providers.ts'
import type { GitSyncRow, Proposal } from '../tables.ts'
import { syncCaller } from './caller.ts'
import { hasSameRepositorySource, PROPOSAL_BRANCH, settingsOf } from './settings.ts'
import { saveGitSync } from './store.ts'

export interface ProposalDeps {
  outbound: Outbound
  git: GitContext
  /** Base URL; its host is in the author's address of commits. */
  baseUrl: string
  /** Drift from the last applied document. */
  drift(caller: Caller): Promise<ConfigDrift>
  /** Live state as a document with the sections of the last one. */
  exportDocument(caller: Caller): Promise<string>
  /** Text of the last applied document from any source. */
  lastDocument(caller: Caller): Promise<string | null>
}

const TITLE = 'Status page: changes made outside of the repository'
const MAX_LINES = 200

/** Changes since the last sync that the repository does not have. */
export interface LiveChanges {
  drift: ConfigDrift['drift']
  /** Live state as a document. */
  text: Buffer
  /** Text of the document of the last sync; null if another document was applied since. */
  base: Buffer | null
  /** True if the same document was proposed before; a closed pull request was declined. */
  isProposed: boolean
}

/** Returns null without changes, and before the first sync. */
export const findLiveChanges = async (
  deps: ProposalDeps,
  { organizationId, appliedBlob, proposal }: GitSyncRow,
): Promise<LiveChanges | null> => {
  const caller = syncCaller(organizationId)
  if (appliedBlob === null) return null
  const { drift } = await deps.drift(caller)
  const last = await deps.lastDocument(caller)
  const base = last === null ? null : Buffer.from(last)
  const isApplied = base !== null && gitBlobIdOf(base) === appliedBlob
  if (drift.length === 0 && isApplied) return null
  const text = Buffer.from(await deps.exportDocument(caller))
  const blob = gitBlobIdOf(text)
  if (blob === appliedBlob) return null
  return { drift, text, base: isApplied ? base : null, isProposed: blob === proposal?.blob }
}

const ABBREVIATED_LENGTH = 7

/** Branch of the next proposal. A branch that is the only copy of changes is not overwritten. */
export const nextBranchOf = ({ proposal }: GitSyncRow, head: string): string =>
  proposal?.revertedBy === undefined
    ? (proposal?.branch ?? PROPOSAL_BRANCH)
    : `${PROPOSAL_BRANCH}-${head.slice(0, ABBREVIATED_LENGTH)}`

export interface OpenedRepository {
  repository: Repository
  token: string | null
  /** Commit at the head of the branch. */
  head: string
}

/** Pushes the text as a branch that follows the head, and opens or updates the pull request. */
export const proposeText = async (
  deps: ProposalDeps,
  row: GitSyncRow,
  { repository, token, head }: OpenedRepository,
  { drift, text, branch }: Pick<LiveChanges, 'drift' | 'text'> & { branch: string },
): Promise<Proposal> => {
  const description = describeDrift(drift)
  const commit = await repository.commitFile({
    parent: head,
    path: row.configPath,
    text,
    message: `${TITLE}\n\n${description}\n`,
    author: authorOf(deps.baseUrl),
  })
  await repository.push(commit, branch)
  const draft = { title: TITLE, description, branch, base: row.branch }
  const url = token === null ? null : await openRequest(deps, row, token, draft)
  const proposedAt = new Date().toISOString()
  return { branch, url, blob: gitBlobIdOf(text), proposedAt, error: null }
}

const authorOf = (baseUrl: string) => ({
  name: 'Status page',
  email: `status@${new URL(baseUrl).hostname}`,
})

/** Returns null for a provider without pull requests: only the branch is pushed. */
const openRequest = async (
  { outbound, git }: ProposalDeps,
  row: GitSyncRow,
  token: string,
  draft: { title: string; description: string; branch: string; base: string },
): Promise<string | null> => {
  const { openPullRequest } = providers[row.provider]
  const parsed = parseRemote(row.repositoryUrl, git.policy)
  if (openPullRequest === null || !parsed.ok) return null
  const { remote } = parsed
  return (await openPullRequest({ ...draft, outbound, remote, token })).url
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
const gitBlobIdOf = (text: Buffer): string =>
  createHash('sha1').update(`blob ${text.length}\0`).update(text).digest('hex')

/** Stores the proposal unless the settings name another repository or branch by now. */
export const saveProposal = async (
  scope: Scope,
  row: GitSyncRow,
  before: GitSyncRow,
  proposal: Proposal,
): Promise<AuditDraft[]> => {
  if (!hasSameRepositorySource(settingsOf(row), settingsOf(before))) return []
  await saveGitSync(scope, { proposal })
  const about = { entityType: 'git_sync', entityId: row.id, entityName: row.repositoryUrl }
  const changes = { proposal: { to: { branch: proposal.branch, url: proposal.url } } }
  return [{ action: 'git_sync.update', ...about, changes }]
}
