/** Uptime Kuma with its SQLite storage: one process, configured over its Socket.IO API. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../local/ports.ts'
import { processAndDescendants, processorMicros } from '../measure/processes.ts'
import { waitForResponse } from '../measure/wait-for-response.ts'
import { PAGE_SIZE, type Peer, type PeerOptions } from './peer.ts'

const SLUG = 'peers'
const OWNER = { name: 'owner', password: 'correct horse battery 1' }
const ATTEMPT_TIMEOUT_MS = 30_000

type Reply = { ok: boolean; msg?: string; monitorID?: number }
interface Socket {
  timeout(ms: number): { emitWithAck(event: string, ...args: unknown[]): Promise<Reply> }
  close(): void
}

/** Starts the server in `folder`, an installation with its dependencies, by the Node of the path. */
export const startUptimeKuma = async (
  folder: string,
  { urls, intervalSeconds }: PeerOptions,
): Promise<Peer> => {
  const port = await freePort()
  const child = spawn('node', ['server/server.js'], {
    cwd: folder,
    stdio: 'ignore',
    env: {
      PATH: process.env.PATH,
      UPTIME_KUMA_HOST: '127.0.0.1',
      UPTIME_KUMA_PORT: String(port),
      UPTIME_KUMA_DB_TYPE: 'sqlite',
      UPTIME_KUMA_WS_ORIGIN_CHECK: 'bypass',
      DATA_DIR: `${mkdtempSync(join(tmpdir(), 'benchmark-uptime-kuma-'))}/`,
    },
  })
  const origin = `http://127.0.0.1:${port}`
  try {
    await waitForResponse(`${origin}/robots.txt`)
    await configure(folder, origin, { urls, intervalSeconds })
  } catch (error) {
    child.kill()
    throw error
  }
  const micros = () => processorMicros(processAndDescendants(child.pid ?? 0))
  return {
    readUrl: `${origin}/api/status-page/heartbeat/${SLUG}`,
    checkingMicros: micros,
    readingMicros: micros,
    async stop() {
      child.kill()
      await once(child, 'exit')
    },
  }
}

/** Creates the owner, the monitors and a status page with the first of them. */
const configure = async (
  folder: string,
  origin: string,
  { urls, intervalSeconds }: PeerOptions,
): Promise<void> => {
  const { io } = createRequire(join(folder, 'package.json'))('socket.io-client') as {
    io(origin: string): Socket
  }
  const socket = io(origin)
  const send = async (event: string, ...args: unknown[]): Promise<Reply> => {
    const reply = await socket.timeout(ATTEMPT_TIMEOUT_MS).emitWithAck(event, ...args)
    if (!reply.ok) throw new Error(`Uptime Kuma, ${event}: ${reply.msg}`)
    return reply
  }
  await send('setup', OWNER.name, OWNER.password)
  await send('login', { username: OWNER.name, password: OWNER.password, token: '' })
  const monitors: { id: number | undefined }[] = []
  for (const [index, url] of urls.entries()) {
    const monitor = monitorOf(`Target ${index}`, url, intervalSeconds)
    monitors.push({ id: (await send('add', monitor)).monitorID })
  }
  await send('addStatusPage', 'Peers', SLUG)
  const page = {
    slug: SLUG,
    title: 'Peers',
    description: '',
    theme: 'auto',
    domainNameList: [],
    showTags: false,
    showPoweredBy: true,
    analyticsType: null,
  }
  const group = { name: 'Targets', monitorList: monitors.slice(0, PAGE_SIZE) }
  await send('saveStatusPage', SLUG, page, '', [group])
  socket.close()
}

const monitorOf = (name: string, url: string, intervalSeconds: number) => ({
  type: 'http',
  name,
  url,
  method: 'GET',
  interval: intervalSeconds,
  retryInterval: intervalSeconds,
  resendInterval: 0,
  maxretries: 3,
  timeout: 10,
  active: true,
  accepted_statuscodes: ['200-299'],
  notificationIDList: {},
  conditions: [],
  kafkaProducerBrokers: [],
  kafkaProducerSaslOptions: { mechanism: 'None' },
  rabbitmqNodes: [],
})
