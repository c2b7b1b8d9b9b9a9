/** nats-server with JetStream for one test, with its own port and store; killed with the test. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** Subset of tap's test that the fixture uses. */
export interface NatsTestScope {
  teardown(fn: () => Promise<void>): void
}

export interface NatsServer {
  url: string
  /** Sends SIGKILL; resolves when the process has exited. */
  kill(): Promise<void>
  /** Restarts on the same port with the same store. */
  start(): Promise<void>
  /** Kills the server, deletes its store and restarts it. */
  wipe(): Promise<void>
  signal(name: 'SIGSTOP' | 'SIGCONT'): void
  storeFolder: string
}

const START_TIMEOUT_MS = 10_000
const POLL_MS = 20

export interface NatsServerOptions {
  /** Block of the configuration. */
  authorization?: string
  environment?: Record<string, string>
  jetStream?: 'on' | 'off'
}

export const startNats = async (
  t: NatsTestScope,
  options: NatsServerOptions = {},
): Promise<NatsServer> => {
  const folder = await mkdtemp(join(tmpdir(), 'nats-'))
  const storeFolder = join(folder, 'store')
  const configFile = join(folder, 'server.conf')
  const limits = `{ store_dir: "${storeFolder}", max_file: 4GB, max_mem: 67108864 }`
  await writeFile(
    configFile,
    `listen: "127.0.0.1:-1"
ports_file_dir: "${folder}"
${options.jetStream === 'off' ? '' : `jetstream ${limits}`}
${options.authorization ?? ''}`,
  )
  let port = 0
  let child: ChildProcess | null = null

  const start = async () => {
    const portArguments = port === 0 ? [] : ['--port', String(port)]
    const environment = { ...process.env, ...options.environment }
    child = spawn('nats-server', ['-c', configFile, ...portArguments], {
      stdio: 'ignore',
      env: environment,
    })
    port = await portOf(folder, child)
  }
  const kill = async () => {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
    await rm(portsFile(folder, child), { force: true })
  }
  await start()
  t.teardown(async () => {
    await kill()
    await rm(folder, { recursive: true, force: true })
  })
  return {
    url: `nats://127.0.0.1:${port}`,
    storeFolder,
    kill,
    start,
    async wipe() {
      await kill()
      await rm(storeFolder, { recursive: true, force: true })
      await start()
    },
    signal: (name) => void child?.kill(name),
  }
}

const portsFile = (folder: string, child: ChildProcess) =>
  join(folder, `nats-server_${child.pid}.ports`)

/** Reads the port from the file that the server names after its process id. */
const portOf = async (folder: string, child: ChildProcess): Promise<number> => {
  const deadline = performance.now() + START_TIMEOUT_MS
  while (performance.now() < deadline) {
    const text = await readFile(portsFile(folder, child), 'utf8').catch(() => '')
    const port = /(?:nats|tls):\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1]
    if (port !== undefined) return Number(port)
    if (child.exitCode !== null) throw new Error(`nats-server ended with ${child.exitCode}`)
    await pause(POLL_MS)
  }
  throw new Error('nats-server did not start')
}
