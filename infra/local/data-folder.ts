/** The data folder: created, checked and locked. Invariant: one stack at a time uses it. */
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { processStartTime } from './process-identity.ts'
import { StartError } from './start-error.ts'

export interface DataFolder {
  path: string
  release(): void
}

interface Holder {
  pid: number
  identity: string
}

/** Creates the folder and takes its lock, or throws a StartError. */
export function openDataFolder(path: string): DataFolder {
  const folder = resolve(path)
  try {
    // Postgres started by root runs as another user, which needs to traverse the folder; its
    // contents have their own modes.
    const mode = process.getuid?.() === 0 ? 0o711 : 0o700
    makeFolder(folder, mode)
    chmodSync(folder, mode)
    for (const name of ['logs', 'mail']) makeFolder(join(folder, name), 0o700)
    return { path: folder, release: takeLock(folder) }
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(`The data folder ${folder} cannot be used: ${(error as Error).message}.`)
  }
}

/** Not `recursive`: below /proc and similar file systems that never returns. */
function makeFolder(path: string, mode: number): void {
  if (existsSync(path)) return
  const parent = dirname(path)
  if (parent !== path) makeFolder(parent, mode)
  mkdirSync(path, { mode })
}

function takeLock(folder: string): () => void {
  const file = join(folder, 'lock')
  const holder = readHolder(file)
  if (holder && processStartTime(holder.pid) === holder.identity) {
    throw new StartError(
      `The data folder ${folder} is in use by process ${holder.pid}; ` +
        'stop it, or set DATA_DIR and PORT to others.',
    )
  }
  const own: Holder = { pid: process.pid, identity: processStartTime(process.pid) ?? '' }
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, JSON.stringify(own), { mode: 0o600 })
  try {
    // Removes the lock file of a process that was killed.
    if (holder) rmSync(file, { force: true })
    // A link is created atomically and never replaces the lock of another start.
    linkSync(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
  return () => {
    if (readHolder(file)?.pid === process.pid) rmSync(file, { force: true })
  }
}

function readHolder(file: string): Holder | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Holder
  } catch {
    return null
  }
}

const REMOVE_RETRIES = 20
const REMOVE_RETRY_MS = 50

/** Child processes of a killed Postgres continue to write for a moment. */
export function removeFolder(path: string): void {
  const retries = { maxRetries: REMOVE_RETRIES, retryDelay: REMOVE_RETRY_MS }
  rmSync(path, { recursive: true, force: true, ...retries })
}
