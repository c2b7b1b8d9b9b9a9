/**
 * Temporary folder of a git session with its settings, credentials, certificates and the one
 * address that git may connect to. Always removed with its content.
 */
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PROGRAM_SEARCH_PATH } from './process.ts'
import { type Remote, SSH_PORT } from './remote.ts'

export type GitAccess =
  | { kind: 'none' }
  | { kind: 'password'; user: string; password: string }
  | { kind: 'key'; privateKey: string; knownHosts: string }

export interface Workspace {
  repository: string
  environment: Readonly<Record<string, string>>
  remove(): Promise<void>
}

interface WorkspaceOptions {
  remote: Remote
  /** Address that the outbound policy has just allowed. */
  address: string
  access: GitAccess
  /** PEM certificates. */
  authorities: readonly string[]
  /** Parent of the folder. */
  parent?: string | undefined
}

const PREFIX = 'status-page-git-'
/** Age after which a workspace is stale; longer than any session. */
const STALE_AFTER_MS = 15 * 60_000
const PRIVATE = 0o600
const NULL_DEVICE = '/dev/null'
/** Maximum size of one allocation; a document never inflates beyond it. */
const MAX_ALLOCATION_BYTES = 64 * 1024 * 1024

export const createWorkspace = async (options: WorkspaceOptions): Promise<Workspace> => {
  const folder = await mkdtemp(join(options.parent ?? tmpdir(), PREFIX))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const repository = join(folder, 'repository.git')
    await createRepository(repository)
    const files = await writeFiles(folder, options)
    return { repository, environment: environmentOf(folder, options, files), remove }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Removes workspaces of killed processes, including keys. */
export const removeStaleWorkspaces = async (now = Date.now()): Promise<void> => {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(PREFIX))
  for (const name of names) {
    const folder = join(tmpdir(), name)
    const stats = await stat(folder).catch(() => null)
    if (stats === null || now - stats.mtimeMs < STALE_AFTER_MS) continue
    await rm(folder, { recursive: true, force: true }).catch(() => {})
  }
}

/** Creates an empty bare repository, as `git init` does, without a process. */
const createRepository = async (repository: string): Promise<void> => {
  for (const name of ['objects', 'refs']) {
    await mkdir(join(repository, name), { recursive: true })
  }
  await writeFile(join(repository, 'HEAD'), 'ref: refs/heads/main\n')
  await writeFile(join(repository, 'config'), '[core]\nrepositoryformatversion = 0\nbare = true\n')
}

interface Files {
  authorities: string
  /** Empty: git would otherwise trust, and parse, the certificates of the system, too. */
  authoritiesFolder: string
  ssh: string
}

const writeFiles = async (folder: string, options: WorkspaceOptions): Promise<Files> => {
  const files = {
    authorities: join(folder, 'authorities.pem'),
    authoritiesFolder: join(folder, 'authorities'),
    ssh: join(folder, 'ssh_config'),
  }
  const { access, authorities, remote } = options
  if (remote.scheme === 'https') {
    await mkdir(files.authoritiesFolder)
    await writeFile(files.authorities, authorities.join('\n'), { mode: PRIVATE })
  }
  if (access.kind === 'key') {
    const key = join(folder, 'key')
    const hosts = join(folder, 'known_hosts')
    await writeFile(key, textFile(access.privateKey), { mode: PRIVATE })
    await writeFile(hosts, textFile(access.knownHosts), { mode: PRIVATE })
    await writeFile(files.ssh, sshConfig({ ...options, key, hosts }), { mode: PRIVATE })
  }
  return files
}

/** ssh rejects a key without a line break at its end. */
const textFile = (text: string): string => `${text.replaceAll('\r\n', '\n').trim()}\n`

/** Name of the host in known_hosts. */
export const knownHostsName = ({ host, port }: Pick<Remote, 'host' | 'port'>): string =>
  port === SSH_PORT ? host : `[${host}]:${port}`

const sshConfig = (options: WorkspaceOptions & { key: string; hosts: string }): string =>
  Object.entries({
    HostName: options.address,
    HostKeyAlias: knownHostsName(options.remote),
    UserKnownHostsFile: options.hosts,
    GlobalKnownHostsFile: NULL_DEVICE,
    StrictHostKeyChecking: 'yes',
    UpdateHostKeys: 'no',
    CheckHostIP: 'no',
    IdentityFile: options.key,
    IdentitiesOnly: 'yes',
    IdentityAgent: 'none',
    PreferredAuthentications: 'publickey',
    BatchMode: 'yes',
    ProxyCommand: 'none',
    ControlMaster: 'no',
    ControlPath: 'none',
    ForwardAgent: 'no',
    ClearAllForwardings: 'yes',
    PermitLocalCommand: 'no',
    ConnectTimeout: '10',
    ServerAliveInterval: '10',
    ServerAliveCountMax: '2',
    LogLevel: 'ERROR',
  })
    .map(([name, value]) => `${name} ${value}\n`)
    .join('')

const environmentOf = (
  folder: string,
  options: WorkspaceOptions,
  files: Files,
): Record<string, string> => ({
  PATH: PROGRAM_SEARCH_PATH,
  HOME: folder,
  XDG_CONFIG_HOME: folder,
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_SYSTEM: NULL_DEVICE,
  GIT_CONFIG_GLOBAL: NULL_DEVICE,
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '/bin/false',
  SSH_ASKPASS: '/bin/false',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_ALLOC_LIMIT: String(MAX_ALLOCATION_BYTES),
  // glibc reserves 64 MiB of address space per additional arena, which counts towards the memory
  // limit.
  MALLOC_ARENA_MAX: '1',
  GIT_SSL_CAINFO: files.authorities,
  GIT_SSL_CAPATH: files.authoritiesFolder,
  // A shell splits this text, so it contains nothing of a tenant; the host is passed as an
  // argument.
  GIT_SSH_COMMAND: `ssh -F '${files.ssh}'`,
  GIT_SSH_VARIANT: 'ssh',
  ...configVariables(configOf(options)),
})

/** Variables, because every user of the machine can read arguments. */
const configVariables = (entries: readonly [string, string][]): Record<string, string> => ({
  GIT_CONFIG_COUNT: String(entries.length),
  ...Object.fromEntries(
    entries.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
})

const configOf = ({ remote, address, access }: WorkspaceOptions): [string, string][] => [
  ['protocol.allow', 'never'],
  [`protocol.${remote.scheme}.allow`, 'always'],
  ['http.followRedirects', 'false'],
  // Pins host and port to the allowed address; an IP address needs no pin.
  ...(isIP(remote.host) === 0 ? [resolveEntry(remote, address)] : []),
  ['http.proxy', ''],
  ['http.lowSpeedLimit', '100'],
  ['http.lowSpeedTime', '20'],
  ['core.hooksPath', NULL_DEVICE],
  ['core.fsmonitor', 'false'],
  ['core.bigFileThreshold', '1m'],
  ['credential.helper', ''],
  ['transfer.fsckObjects', 'true'],
  ['fetch.unpackLimit', '1'],
  // Each thread of index-pack and pack-objects allocates its own caches.
  ['pack.threads', '1'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['safe.directory', '*'],
  ...(access.kind === 'password' ? [basicAuthHeader(access)] : []),
]

const basicAuthHeader = ({
  user,
  password,
}: {
  user: string
  password: string
}): [string, string] => [
  'http.extraHeader',
  `Authorization: Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
]

const resolveEntry = ({ host, port }: Remote, address: string): [string, string] => [
  'http.curloptResolve',
  `${host}:${port}:${address.includes(':') ? `[${address}]` : address}`,
]
