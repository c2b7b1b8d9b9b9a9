/** Cluster of three nats-servers with JetStream for one test; killed with the test. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@status-page/testing'
import { connect, type JetStreamManager, type NatsConnection } from 'nats'
import type { NatsTestScope } from './nats-server.fixture.ts'

const NAMES = ['n1', 'n2', 'n3'] as const
export type ServerName = (typeof NAMES)[number]

const START_TIMEOUT_MS = 30_000

export interface NatsCluster {
  /** URLs of all servers, separated by commas. */
  url: string
  jsm: JetStreamManager
  kill(name: ServerName): Promise<void>
}

/** A server has its name as a tag, so that streams can be placed on it. */
export const startNatsCluster = async (t: NatsTestScope): Promise<NatsCluster> => {
  const folder = await mkdtemp(join(tmpdir(), 'nats-cluster-'))
  const ports = await freePorts(NAMES.length * 2)
  const routes = NAMES.map((_name, index) => `nats://127.0.0.1:${ports[index * 2 + 1]}`)
  const children = new Map<ServerName, ChildProcess>()
  for (const [index, name] of NAMES.entries()) {
    const file = join(folder, `${name}.conf`)
    await writeFile(
      file,
      `server_name: ${name}
listen: "127.0.0.1:${ports[index * 2]}"
server_tags: ["${name}"]
jetstream { store_dir: "${join(folder, name)}", max_file: 4GB, max_mem: 67108864 }
cluster { name: test, listen: "127.0.0.1:${ports[index * 2 + 1]}", routes: ${JSON.stringify(routes)} }
`,
    )
    children.set(name, spawn('nats-server', ['-c', file], { stdio: 'ignore' }))
  }
  const kill = async (name: ServerName) => {
    const child = children.get(name)
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
  const clients: NatsConnection[] = []
  t.teardown(async () => {
    await Promise.all(clients.map((client) => client.close()))
    await Promise.all(NAMES.map(kill))
    await rm(folder, { recursive: true, force: true })
  })
  const servers = NAMES.map((_name, index) => `127.0.0.1:${ports[index * 2]}`)
  const jsm = await eventually(() => managerOf(servers, clients), { timeoutMs: START_TIMEOUT_MS })
  return { url: servers.map((server) => `nats://${server}`).join(','), jsm, kill }
}

/** Rejects until the cluster has a leader. */
const managerOf = async (
  servers: string[],
  clients: NatsConnection[],
): Promise<JetStreamManager> => {
  const client = await connect({ servers, maxReconnectAttempts: -1, reconnectTimeWait: 50 })
  clients.push(client)
  const jsm = await client.jetstreamManager({ checkAPI: false, timeout: 2_000 })
  const probe = { name: 'probe', subjects: ['ready'], num_replicas: NAMES.length }
  await jsm.streams.add(probe)
  await jsm.streams.delete(probe.name)
  return jsm
}

const freePorts = async (count: number): Promise<number[]> => {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  return servers.map((server) => {
    const address = server.address()
    server.close()
    if (address === null || typeof address === 'string') throw new Error('no port')
    return address.port
  })
}
