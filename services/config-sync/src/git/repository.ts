/** One visit to a repository: what its branch holds, and a commit of ours beside it. No work tree, ever. */
import { MAX_DOCUMENT_BYTES } from '@status-page/contracts'
import { checkedAddress, type OutboundPolicy } from '@status-page/outbound'
import { commitFile, type FileChange } from './commit-file.ts'
import { failureOfOutbound, GitFailure } from './failure.ts'
import { type GitRunner, PLAIN_FILES, parseObjectId, treeEntryAt } from './objects.ts'
import { runGit } from './process.ts'
import type { Remote } from './remote.ts'
import { type Access, createWorkspace, type Workspace } from './workspace.ts'

/** Of the whole visit. */
const SESSION_TIMEOUT_MS = 60_000
const MAX_REPOSITORY_BYTES = 64 * 1024 * 1024
const MAX_LISTING_BYTES = 64 * 1024

export interface GitContext {
  policy: OutboundPolicy
  /** PEM certificates of those who may vouch for a host. */
  authorities: readonly string[]
  /** Whether there is a git that can be told where to dial. */
  isUsable(): Promise<boolean>
  /** Where visits have their folders; the system's own for such things unless said otherwise. */
  parent?: string
  /** Smaller in tests. */
  limits?: { timeoutMs?: number; maxRepositoryBytes?: number }
}

export interface RepositoryOptions {
  remote: Remote
  access: Access
  signal?: AbortSignal
}

export interface FileInCommit {
  /** Object id: equal for equal content. */
  blob: string
  text: Buffer
}

export interface Repository {
  /** Commit at the end of the branch; null where there is no such branch. */
  head(branch: string): Promise<string | null>
  /** Brings the last commit of the branch here and names it. */
  fetch(branch: string): Promise<string>
  /** Null where the commit has nothing at the path. */
  readFile(commit: string, path: string): Promise<FileInCommit | null>
  /** A commit that is its parent but for one file. */
  commitFile(change: FileChange): Promise<string>
  /** Puts the branch there, from whatever it was. */
  push(commit: string, branch: string): Promise<void>
}

/** The folder of the visit is gone afterwards, with the credential in it. */
export const withRepository = async <T>(
  context: GitContext,
  { remote, access, signal }: RepositoryOptions,
  work: (repository: Repository) => Promise<T>,
): Promise<T> => {
  if (!(await context.isUsable())) throw new GitFailure('git_unavailable')
  const checked = await checkedAddress(remote.host, remote.port, context.policy)
  if (!checked.ok) throw failureOfOutbound(checked.error)
  const { authorities, limits, parent } = context
  const { address } = checked
  const workspace = await createWorkspace({ remote, address, access, authorities, parent })
  const run = runnerIn(workspace, { ...limits, ...(signal === undefined ? {} : { signal }) })
  try {
    await run(['init', '--quiet', '--bare', '.'])
    return await work(repositoryOf(remote, run))
  } finally {
    await workspace.remove()
  }
}

interface Limits {
  timeoutMs?: number
  maxRepositoryBytes?: number
  signal?: AbortSignal
}

const runnerIn = ({ repository, environment }: Workspace, limits: Limits): GitRunner => {
  const {
    timeoutMs = SESSION_TIMEOUT_MS,
    maxRepositoryBytes = MAX_REPOSITORY_BYTES,
    signal,
  } = limits
  const endsAt = performance.now() + timeoutMs
  return (args, options = {}) =>
    runGit({
      args,
      environment: { ...environment, GIT_DIR: repository, ...options.environment },
      folder: repository,
      maxFolderBytes: maxRepositoryBytes,
      maxOutputBytes: options.maxOutputBytes ?? MAX_LISTING_BYTES,
      timeoutMs: endsAt - performance.now(),
      ...(options.input === undefined ? {} : { input: options.input }),
      ...(signal === undefined ? {} : { signal }),
    })
}

const repositoryOf = ({ url }: Remote, run: GitRunner): Repository => ({
  async head(branch) {
    const listing = await run(['ls-remote', '--quiet', '--', url, `refs/heads/${branch}`])
    const line = listing
      .toString()
      .split('\n')
      .find((text) => text.endsWith(`\trefs/heads/${branch}`))
    return line === undefined ? null : parseObjectId(line.slice(0, line.indexOf('\t')))
  },

  async fetch(branch) {
    // By its full name: a tag of the same name is no branch.
    const ref = `refs/heads/${branch}`
    const flags = ['--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules']
    await run(['fetch', ...flags, '--', url, `+${ref}:${ref}`])
    return parseObjectId((await run(['rev-parse', '--verify', '--quiet', ref])).toString().trim())
  },

  async readFile(commit, path) {
    const entry = await treeEntryAt(run, commit, path)
    if (entry === null) return null
    if (!PLAIN_FILES.includes(entry.mode)) throw new GitFailure('not_a_file')
    const size = Number((await run(['cat-file', '-s', entry.blob])).toString())
    if (!(size <= MAX_DOCUMENT_BYTES)) throw new GitFailure('too_large')
    const text = await run(['cat-file', 'blob', entry.blob], { maxOutputBytes: MAX_DOCUMENT_BYTES })
    return { blob: entry.blob, text }
  },

  commitFile: (change) => commitFile(run, change),

  async push(commit, branch) {
    const flags = ['--quiet', '--force', '--no-verify', '--no-signed', '--recurse-submodules=no']
    await run(['push', ...flags, '--', url, `${commit}:refs/heads/${branch}`])
  },
})
