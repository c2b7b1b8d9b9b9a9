/** The data folder: made, judged and locked. One stack at a time may use it. */
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
import { identityOf } from './identity.ts'
import { StartError } from './start-error.ts'

export interface DataFolder {
  path: string
  release(): void
}

interface Holder {
  pid: number
  identity: string
}

/** Makes the folder and takes its lock, or throws one clear sentence. */
export function openDataFolder(path: string): DataFolder {
  const folder = resolve(path)
  try {
    // Root's Postgres runs as another user, who must pass through; what is inside guards itself.
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

/** Not `recursive`: under /proc and its like that never returns. */
function makeFolder(path: string, mode: number): void {
  if (existsSync(path)) return
  const parent = dirname(path)
  if (parent !== path) makeFolder(parent, mode)
  mkdirSync(path, { mode })
}

function takeLock(folder: string): () => void {
  const file = join(folder, 'lock')
  const holder = readHolder(file)
  if (holder && identityOf(holder.pid) === holder.identity) {
    throw new StartError(
      `The data folder ${folder} is in use by process ${holder.pid}; ` +
        'stop that one, or set DATA_DIR and PORT to others.',
    )
  }
  const own: Holder = { pid: process.pid, identity: identityOf(process.pid) ?? '' }
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, JSON.stringify(own), { mode: 0o600 })
  try {
    // Left behind by a process that was killed.
    if (holder) rmSync(file, { force: true })
    // A link appears whole or not at all, and never over another start's lock.
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

/** Processes that a killed Postgres had started go on writing for a moment. */
export function removeFolder(path: string): void {
  const patience = { maxRetries: REMOVE_RETRIES, retryDelay: REMOVE_RETRY_MS }
  rmSync(path, { recursive: true, force: true, ...patience })
}
