/**
 * Access to a remote repository: reads its branch and commits to a branch of its own. Never creates
 * a work tree.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MAX_DOCUMENT_BYTES } from '@status-page/contracts'
import { type OutboundPolicy, resolveCheckedAddress } from '@status-page/outbound'
import { commitFile, type FileChange } from './commit-file.ts'
import { failureOfOutbound, GitFailure } from './failure.ts'
import { type GitRunner, PLAIN_FILES, parseObjectId, treeEntryAt } from './objects.ts'
import { runGit } from './process.ts'
import type { Remote } from './remote.ts'
import { createWorkspace, type GitAccess, type Workspace } from './workspace.ts'

/** Maximum time of one session with a repository. */
const SESSION_TIMEOUT_MS = 60_000
const MAX_REPOSITORY_BYTES = 64 * 1024 * 1024
const MAX_LISTING_BYTES = 64 * 1024

const MAX_MERGED_BYTES = 2 * MAX_DOCUMENT_BYTES

export interface GitContext {
  policy: OutboundPolicy
  /** PEM certificates of trusted authorities. */
  authorities: readonly string[]
  /** True if git is installed and can be pinned to an address. */
  isUsable(): Promise<boolean>
  /** Parent of the workspaces; the temporary folder of the system by default. */
  parent?: string
  /** Limits; smaller in tests. */
  limits?: { timeoutMs?: number; maxRepositoryBytes?: number }
}

export interface RepositoryOptions {
  remote: Remote
  access: GitAccess
  signal?: AbortSignal
}

export interface FileInCommit {
  /** Object id; equal for equal content. */
  blob: string
  text: Buffer
}

export interface Repository {
  /** Returns the commit at the head of the branch; null if the branch does not exist. */
  head(branch: string): Promise<string | null>
  /** Fetches the last commit of the branch and returns its id. */
  fetch(branch: string): Promise<string>
  /** Returns null if the commit has no entry at the path. */
  readFile(commit: string, path: string): Promise<FileInCommit | null>
  /** Creates a commit that changes one file of its parent. */
  commitFile(change: FileChange): Promise<string>
  /** Merges the lines of two successors of `base`; conflicting lines are those of `ours`. */
  merge(versions: Record<'base' | 'ours' | 'theirs', Buffer>): Promise<Buffer>
  /** Force-pushes the commit to the branch. */
  push(commit: string, branch: string): Promise<void>
}

/** Removes the workspace and the credential in it afterwards. */
export const withRepository = async <T>(
  context: GitContext,
  { remote, access, signal }: RepositoryOptions,
  work: (repository: Repository) => Promise<T>,
): Promise<T> => {
  if (!(await context.isUsable())) throw new GitFailure('git_unavailable')
  const checked = await resolveCheckedAddress(remote.host, remote.port, context.policy)
  if (!checked.ok) throw failureOfOutbound(checked.error)
  const { authorities, limits, parent } = context
  const { address } = checked
  const workspace = await createWorkspace({ remote, address, access, authorities, parent })
  const run = runnerIn(workspace, { ...limits, ...(signal === undefined ? {} : { signal }) })
  try {
    return await work(repositoryOf(remote, run, workspace.repository))
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

const repositoryOf = ({ url }: Remote, run: GitRunner, folder: string): Repository => ({
  async head(branch) {
    const listing = await run(['ls-remote', '--quiet', '--', url, `refs/heads/${branch}`])
    const line = listing
      .toString()
      .split('\n')
      .find((text) => text.endsWith(`\trefs/heads/${branch}`))
    return line === undefined ? null : parseObjectId(line.slice(0, line.indexOf('\t')))
  },

  async fetch(branch) {
    // The full name, since a tag may have the same short name.
    const ref = `refs/heads/${branch}`
    const flags = ['--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules']
    await run(['fetch', ...flags, '--', url, `+${ref}:${ref}`])
    const fetched = await readFile(join(folder, 'FETCH_HEAD'), 'latin1')
    return parseObjectId(fetched.slice(0, fetched.indexOf('\t')))
  },

  async readFile(commit, path) {
    const entry = await treeEntryAt(run, commit, path)
    if (entry === null) return null
    if (!PLAIN_FILES.includes(entry.mode)) throw new GitFailure('not_a_file')
    if (!(entry.size <= MAX_DOCUMENT_BYTES)) throw new GitFailure('too_large')
    const text = await run(['cat-file', 'blob', entry.blob], { maxOutputBytes: MAX_DOCUMENT_BYTES })
    return { blob: entry.blob, text }
  },

  commitFile: (change) => commitFile(run, change),

  async merge(versions) {
    const file = (name: string) => join(folder, `merge-${name}`)
    for (const [name, text] of Object.entries(versions)) await writeFile(file(name), text)
    const files = (['ours', 'base', 'theirs'] as const).map(file)
    return run(['merge-file', '-p', '--ours', ...files], { maxOutputBytes: MAX_MERGED_BYTES })
  },

  async push(commit, branch) {
    const flags = ['--quiet', '--force', '--no-verify', '--no-signed', '--recurse-submodules=no']
    await run(['push', ...flags, '--', url, `${commit}:refs/heads/${branch}`])
  },
})
