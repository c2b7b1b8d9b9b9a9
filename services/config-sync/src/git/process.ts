/**
 * Runs git as a child process with a fixed environment, a deadline, and limits on memory, output
 * and disk. The whole process group is killed when a limit is exceeded, which neither `execFile` nor
 * execa does; the task runner of `packages/concurrency` runs programs of Node.
 */
import { spawn } from 'node:child_process'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { GitFailure, reasonFromStderr } from './failure.ts'

/** Fixed search path: an environment variable must not select the git binary. */
export const PROGRAM_SEARCH_PATH = '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin'

const SIZE_CHECK_INTERVAL_MS = 100
const MAX_STDERR_BYTES = 16 * 1024
/**
 * Address space of git and of each helper process. A fetch of 60 MiB of blobs needs 96 MiB; a small
 * repository can make a command that walks whole trees grow without bound.
 */
const MAX_MEMORY_BYTES = 256 * 1024 * 1024
/**
 * Margin of the largest single file above the folder limit, so that the folder size determines the
 * reason.
 */
const FILE_MARGIN_BYTES = 1024 * 1024
const FILE_BLOCK_BYTES = 512
const KIBIBYTE = 1024

/**
 * Sets the limits and executes git. Numbers and git's arguments are passed to the shell as
 * arguments, never as script text. Systems without a limit on address space (macOS) run git without
 * it.
 */
const LIMITED_GIT = [
  'ulimit -c 0',
  'ulimit -v "$1" 2>/dev/null',
  'ulimit -f "$2" 2>/dev/null',
  'shift 2',
  'exec git "$@"',
].join('\n')
const COMMAND_NOT_FOUND = 127

export interface GitCommand {
  args: readonly string[]
  environment: Readonly<Record<string, string>>
  folder: string
  /** Maximum size of the folder; null for commands that write nothing. */
  maxFolderBytes: number | null
  /** Address space per process; smaller in tests. */
  maxMemoryBytes?: number
  maxOutputBytes: number
  timeoutMs: number
  input?: Buffer
  signal?: AbortSignal
}

/** Returns the standard output; throws GitFailure. */
export const runGit = async (command: GitCommand): Promise<Buffer> => {
  const { environment: env, folder: cwd } = command
  if (command.timeoutMs <= 0 || command.signal?.aborted) throw new GitFailure('timeout')
  // A process group of its own, so that helpers of git end with it.
  const child = spawn('sh', limitedArguments(command), { cwd, env, detached: true })
  const outcome = Promise.withResolvers<GitFailure | null>()
  const stop = (failure: GitFailure) => {
    outcome.resolve(failure)
    killGroup(child.pid)
  }
  const tooLarge = () => stop(new GitFailure('too_large'))
  const stdout = collect(child.stdout, command.maxOutputBytes, tooLarge)
  const stderr = collect(child.stderr, MAX_STDERR_BYTES, () => {})
  child.stdin.on('error', () => {})
  child.stdin.end(command.input)
  const timer = setTimeout(() => stop(new GitFailure('timeout')), command.timeoutMs)
  const onAbort = () => stop(new GitFailure('timeout'))
  command.signal?.addEventListener('abort', onAbort)
  const watch = watchFolder(command, tooLarge)
  const ended = Promise.withResolvers<number | null>()
  child.on('error', () => stop(new GitFailure('git_unavailable')))
  child.on('error', () => ended.resolve(null))
  child.on('close', (code) => ended.resolve(code))
  try {
    const code = await ended.promise
    if (await isOverLimit(command)) tooLarge()
    outcome.resolve(failureOf(code, stderr().toString()))
    const failure = await outcome.promise
    if (failure !== null) throw failure
    return stdout()
  } finally {
    clearTimeout(timer)
    clearInterval(watch)
    command.signal?.removeEventListener('abort', onAbort)
    killGroup(child.pid)
  }
}

const limitedArguments = (command: GitCommand): string[] => {
  const { args, maxFolderBytes, maxMemoryBytes = MAX_MEMORY_BYTES } = command
  const memory = String(Math.ceil(maxMemoryBytes / KIBIBYTE))
  const file =
    maxFolderBytes === null
      ? 'unlimited'
      : String(Math.ceil((maxFolderBytes + FILE_MARGIN_BYTES) / FILE_BLOCK_BYTES))
  return ['-c', LIMITED_GIT, 'sh', memory, file, ...args]
}

const failureOf = (code: number | null, stderr: string): GitFailure | null => {
  if (code === 0) return null
  return new GitFailure(code === COMMAND_NOT_FOUND ? 'git_unavailable' : reasonFromStderr(stderr))
}

/** Kills the group even after git itself ended, since its helpers may still run. */
const killGroup = (pid: number | undefined) => {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has no processes left.
  }
}

const collect = (stream: NodeJS.ReadableStream, maxBytes: number, onOverflow: () => void) => {
  const chunks: Buffer[] = []
  let size = 0
  stream.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= maxBytes) chunks.push(chunk)
    else onOverflow()
  })
  return () => Buffer.concat(chunks)
}

const watchFolder = (command: GitCommand, onOverflow: () => void) => {
  if (command.maxFolderBytes === null) return undefined
  let isChecking = false
  return setInterval(async () => {
    if (isChecking) return
    isChecking = true
    if (await isOverLimit(command)) onOverflow()
    isChecking = false
  }, SIZE_CHECK_INTERVAL_MS)
}

const isOverLimit = async ({ folder, maxFolderBytes }: GitCommand): Promise<boolean> =>
  maxFolderBytes !== null && (await sizeOf(folder)) > maxFolderBytes

/** Files may disappear during the measurement; they count as empty. */
const sizeOf = async (folder: string): Promise<number> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(
    files.map(async ({ parentPath, name }) => {
      const found = await stat(join(parentPath, name)).catch(() => null)
      return found?.size ?? 0
    }),
  )
  return sizes.reduce((total, size) => total + size, 0)
}
