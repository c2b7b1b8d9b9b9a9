/**
 * Operating-system account of Postgres, which refuses to run as root. Started by root, Postgres
 * runs as another user, and its files must be in folders that this user can read; a clone below
 * root's home is not.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StartError } from './start-error.ts'

export interface SystemAccount {
  uid: number
  gid: number
}

/** Names of users that may run Postgres, by preference; the last exists on every system. */
const candidates = ['postgres', '_postgres', 'nobody']

/** Folder for Postgres files outside of the data folder: persistent, writable by root only. */
const PERSISTENT_FOLDER = '/var/lib/status-page'

/** Null when this process is not root and Postgres can run as the same user. */
export function postgresAccount(dataFolder: string): SystemAccount | null {
  if (process.getuid?.() !== 0) return null
  const owner = ownerOf(join(dataFolder, 'postgres/data'))
  if (owner) return owner
  for (const name of candidates) {
    const [uid, gid] = [idOf('-u', name), idOf('-g', name)]
    if (uid !== null && gid !== null && uid !== 0) return { uid, gid }
  }
  throw new StartError(
    `Postgres cannot run as root, and this machine has none of the users ${candidates.join(', ')}.`,
  )
}

/** Runs a shell test as the account, so that access control lists are respected. */
function succeedsAs(account: SystemAccount, test: string, folder: string): boolean {
  const result = spawnSync('/bin/sh', ['-c', test, 'sh', folder], {
    cwd: '/',
    uid: account.uid,
    gid: account.gid,
    stdio: 'ignore',
  })
  return result.status === 0
}

/** A copy of the server's programs that the account can run, created once per version. */
export function accessiblePostgresPrograms(
  native: string,
  version: string,
  account: SystemAccount | null,
): string {
  const usable = '[ -x "$1/bin/postgres" ] && [ -r "$1/share/postgresql/postgres.bki" ]'
  if (!account || succeedsAs(account, usable, native)) return native
  const home = join(createPersistentFolder(), `postgres-${version}`)
  if (existsSync(join(home, 'bin/postgres'))) return home
  const draft = `${home}.${process.pid}`
  // Symbolic links stay relative, as in the npm package.
  cpSync(native, draft, { recursive: true, verbatimSymlinks: true })
  makeReadable(draft)
  try {
    renameSync(draft, home)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    // Another start finished the copy first.
    if (!existsSync(join(home, 'bin/postgres'))) throw error
  }
  return home
}

export interface ClusterFolder {
  path: string
  /** Path of the files when they are outside the data folder, else null. */
  movedTo: string | null
}

/**
 * The folder of the cluster: `<data folder>/postgres`, or, where the account has no access, one
 * under /var/lib. The data folder stores its name, so that the next start finds it.
 */
export function accessibleClusterFolder(
  dataFolder: string,
  account: SystemAccount | null,
  disposable: boolean,
): ClusterFolder {
  const folder = join(dataFolder, 'postgres')
  if (!account) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return { path: folder, movedTo: null }
  }
  const moved = movedClusterFolder(dataFolder)
  if (moved) return { path: createOwnedFolder(moved, account), movedTo: moved }
  if (existsSync(join(folder, 'data')) || succeedsAs(account, 'cd "$1"', dataFolder)) {
    return { path: createOwnedFolder(folder, account), movedTo: null }
  }
  const home = mkdtempSync(join(disposable ? tmpdir() : createPersistentFolder(), 'data-'))
  writeFileSync(locationFileOf(dataFolder), `${home}\n`, { mode: 0o600 })
  return { path: createOwnedFolder(home, account), movedTo: home }
}

/** Folder of a cluster outside of its data folder, which stores its path; null for none. */
export function movedClusterFolder(dataFolder: string): string | null {
  const file = locationFileOf(dataFolder)
  return existsSync(file) ? readFileSync(file, 'utf8').trim() || null : null
}

function locationFileOf(dataFolder: string): string {
  return join(dataFolder, 'postgres-moved-to')
}

function createOwnedFolder(folder: string, account: SystemAccount): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chownSync(folder, account.uid, account.gid)
  return folder
}

function createPersistentFolder(): string {
  mkdirSync(PERSISTENT_FOLDER, { recursive: true })
  // Sets the mode explicitly, because mkdir subtracts the umask.
  chmodSync(PERSISTENT_FOLDER, 0o755)
  return PERSISTENT_FOLDER
}

function makeReadable(folder: string): void {
  chmodSync(folder, 0o755)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isDirectory()) chmodSync(path, 0o755)
    if (entry.isFile()) chmodSync(path, statSync(path).mode & 0o100 ? 0o755 : 0o644)
  }
}

/**
 * The owner of an existing cluster continues to run it, so the same data work with and without
 * sudo.
 */
function ownerOf(folder: string): SystemAccount | null {
  if (!existsSync(folder)) return null
  const { uid, gid } = statSync(folder)
  return uid === 0 ? null : { uid, gid }
}

function idOf(flag: '-u' | '-g', name: string): number | null {
  try {
    const result = execFileSync('id', [flag, name], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return Number.parseInt(result, 10)
  } catch {
    return null
  }
}
