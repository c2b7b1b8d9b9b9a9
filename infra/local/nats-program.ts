/** Finds nats-server on the machine, or fetches it from Debian's archive or the pinned release. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

const APT_TIMEOUT_MS = 120_000
const DOWNLOAD_TIMEOUT_MS = 120_000
const MAX_DOWNLOAD_BYTES = 64 * 1024 * 1024

/** Checksums from the official images of the same version. */
const release = {
  version: '2.11.17',
  sha256: {
    'linux-amd64': 'ad608dd0ea8bbfa58c40e3b8f58ed67478eec26166ec49c502db8d17589b51b5',
    'linux-arm64': 'd21df24f262f34f8bf6d1f0bca557c08429e433fd9f60f6983105539ae517feb',
  } as Record<string, string>,
}

/** Folders of package managers that are not in the PATH of every shell. */
const usualFolders = ['/usr/sbin', '/usr/local/bin', '/usr/local/sbin', '/opt/homebrew/bin']

/**
 * Returns the path of the program, or null when it cannot be obtained; reports progress through
 * `log`.
 */
export async function findNatsServer(
  dataFolder: string,
  log: (line: string) => void,
): Promise<string | null> {
  const folder = join(dataFolder, 'bin')
  const found = findInstalledNatsServer([folder])
  if (found) return found
  mkdirSync(folder, { recursive: true })
  const target = join(folder, 'nats-server')
  for (const fetchProgram of [fetchFromDebian, fetchFromRelease]) {
    try {
      if (await fetchProgram(target, log)) return target
    } catch (error) {
      log(`nats-server could not be fetched: ${firstLine(error)}`)
    }
  }
  return null
}

export function findInstalledNatsServer(preferredFolders: string[] = []): string | null {
  const path = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  for (const folder of [...preferredFolders, ...path, ...usualFolders]) {
    const candidate = join(folder, 'nats-server')
    try {
      accessSync(candidate, constants.X_OK)
      return candidate
    } catch {}
  }
  return null
}

/**
 * Unpacks Debian's package instead of installing it: an installation would start a second server.
 */
async function fetchFromDebian(target: string, log: (line: string) => void): Promise<boolean> {
  if (!existsSync('/usr/bin/apt-get') || !existsSync('/usr/bin/dpkg-deb')) return false
  log('nats-server is not on this machine; fetching the package of the distribution')
  const folder = `${target}.unpacked`
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const options = { cwd: folder, timeout: APT_TIMEOUT_MS }
  try {
    const download = () => run('apt-get', ['download', 'nats-server'], options)
    await download().catch(async (error: unknown) => {
      // A fresh image has no package lists, and only root can download them.
      if (process.getuid?.() !== 0) throw error
      await run('apt-get', ['update'], options)
      return download()
    })
    const archive = readdirSync(folder).find((name) => name.endsWith('.deb'))
    if (!archive) return false
    await run('dpkg-deb', ['-x', archive, '.'], options)
    const program = ['usr/sbin', 'usr/bin'].map((part) => join(folder, part, 'nats-server'))
    return install(
      program.find((path) => existsSync(path)),
      target,
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function fetchFromRelease(target: string, log: (line: string) => void): Promise<boolean> {
  const platform = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`
  const expected = release.sha256[platform]
  if (!expected) return false
  const name = `nats-server-v${release.version}-${platform}`
  log(`fetching ${name} from its project's releases`)
  const archive = await download(
    `https://github.com/nats-io/nats-server/releases/download/v${release.version}/${name}.tar.gz`,
  )
  const actual = createHash('sha256').update(archive).digest('hex')
  if (actual !== expected) throw new Error(`${name} has the wrong checksum ${actual}`)
  const folder = `${target}.unpacked`
  mkdirSync(folder, { recursive: true })
  try {
    writeFileSync(join(folder, 'release.tar.gz'), archive)
    await run('tar', ['-xzf', 'release.tar.gz'], { cwd: folder })
    return install(join(folder, name, 'nats-server'), target)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function download(url: string): Promise<Buffer> {
  const response = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS) })
  if (!response.ok || !response.body) throw new Error(`${url} responded with ${response.status}`)
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of response.body) {
    bytes += part.length
    if (bytes > MAX_DOWNLOAD_BYTES) throw new Error(`${url} is larger than expected`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function install(program: string | undefined, target: string): boolean {
  if (!program) return false
  chmodSync(program, 0o755)
  renameSync(program, target)
  return true
}

/**
 * The further lines of the message are the process's stderr; a failed fetch has its reason in
 * `cause`.
 */
function firstLine(error: unknown): string {
  const { message, cause } = error as Error
  const reason = cause instanceof Error ? `${message} (${cause.message})` : message
  return reason.split('\n').filter(Boolean).slice(0, 2).join(' ')
}
