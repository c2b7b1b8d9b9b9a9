/** Monitors on one Postgres, their targets, and the server that they check. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ServiceName, services } from '@status-page/contracts'
import { newId, serviceUrl } from '@status-page/postgres'
import { shardOf, slotAt } from '@status-page/schedule'
import postgres from 'postgres'
import { serviceBundles } from '../../local/builds.ts'
import { freePort } from '../../local/ports.ts'
import { loadSecrets } from '../../local/secrets.ts'
import { startService } from '../../local/service-process.ts'
import { inheritedEnvironment, serviceEnvironment } from '../../local/settings.ts'
import { startStack } from '../../local/stack.ts'
import type { SupervisedProcess } from '../../local/supervisor.ts'
import { startProgram } from '../measure/program.ts'
import { addressOf, nameOf, zoneCertificate } from './target-hosts.ts'
import type { TargetArrivals } from './target-program.ts'

export interface MonitorBenchmarkOptions {
  targets: number
  intervalSeconds: number
  timeoutMs: number
  isSecure: boolean
  environment?: Readonly<Record<string, string>>
}

type Ports = Record<ServiceName, number>

export interface MonitorReplica {
  origin: string
  process: SupervisedProcess
}

export interface CheckArrivals {
  arrivals: TargetArrivals
  /** Time from the slot of each request to its arrival, in the same order. */
  latenessMs: number[]
}

const servicesFolder = fileURLToPath(new URL('../../../services/', import.meta.url))
const ROWS_PER_INSERT = 5000

export const startBenchmark = async (options: MonitorBenchmarkOptions) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'benchmark-monitor-'))
  const stack = await startStack({ dataDir, services: [], disposable: true, log: () => {} })
  const sql = postgres(stack.adminUrl, { max: 1, onnotice: () => {} })
  const natsUrl = stack.nats?.urlOf('monitor') ?? null
  const authorities = join(dataDir, 'authorities.pem')
  const certificate = options.isSecure ? zoneCertificate() : null
  if (certificate !== null) writeFileSync(authorities, certificate.cert)
  const server = await startTargets(certificate)
  const ids = Array.from({ length: options.targets }, newId)
  await insertTargets(sql, { ...options, ids, probeOf: httpProbes(server.port, options) })
  const replicas: MonitorReplica[] = []
  const secrets = loadSecrets(dataDir, true)
  return {
    sql,
    replicas,
    /** Key that signs the calls of the gateway. */
    gatewayKey: secrets.callerKeys.gateway.privateKey,
    server: { host: nameOf(0), port: server.port, authority: certificate?.cert ?? null },
    hang: (count: number) => server.child.send({ hang: count }),
    async addReplica(settings: Record<string, string> = {}): Promise<MonitorReplica> {
      const port = await freePort()
      // The other services do not run here, so their ports are never used.
      const ports = Object.fromEntries(services.map((name) => [name, port])) as Ports
      const environment = serviceEnvironment('monitor', {
        environment: {
          ...inheritedEnvironment(process.env),
          OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
          LOG_LEVEL: 'warn',
          ...(certificate === null ? {} : { NODE_EXTRA_CA_CERTS: authorities }),
          ...options.environment,
          ...settings,
        },
        secrets,
        natsUrl,
        baseUrl: 'http://localhost',
        gatewayHost: '127.0.0.1',
        mailFolder: dataDir,
        pageFolder: dataDir,
        ports,
        databaseUrl: serviceUrl(stack.adminUrl, 'monitor', secrets.databasePasswords.monitor),
      })
      const folders = {
        servicesFolder,
        bundleFolder: await serviceBundles(),
        logFolder: join(dataDir, 'logs'),
        autoRestart: false,
      }
      const child = startService({ name: 'monitor', environment, port, ...folders, log: () => {} })
      await child.waitReady()
      const replica = { origin: `http://127.0.0.1:${port}`, process: child }
      replicas.push(replica)
      return replica
    },
    /** Requests received since the last call. */
    async takeArrivals(): Promise<CheckArrivals> {
      server.child.send({ report: true })
      const [arrivals] = (await once(server.child, 'message')) as [TargetArrivals]
      const intervalMs = options.intervalSeconds * 1000
      const latenessMs = arrivals.times.map((time, position) => {
        const id = ids[arrivals.indexes[position] ?? 0] ?? ''
        return time - slotAt(id, intervalMs, time)
      })
      return { arrivals, latenessMs }
    },
    async close() {
      await Promise.all(replicas.map((replica) => replica.process.stop()))
      await sql.end()
      server.child.kill()
      await stack.stop()
    },
  }
}

export type MonitorBenchmark = Awaited<ReturnType<typeof startBenchmark>>

/** Starts the checked server, which serves TLS with a certificate. */
export const startTargets = async (
  certificate: ReturnType<typeof zoneCertificate> | null,
): Promise<{ child: ChildProcess; port: number }> => {
  const { child, message: port } = await startProgram<number>(
    new URL('target-program.ts', import.meta.url),
    certificate === null ? [] : [certificate.cert, certificate.key],
    { serialization: 'advanced' },
  )
  return { child, port }
}

interface InsertedTargets {
  ids: readonly string[]
  intervalSeconds: number
  timeoutMs: number
  /** Settings of the check of a target by its position in `ids`. */
  probeOf(index: number): object
  location?: string
}

export const HTTP_PROBE = {
  kind: 'http',
  method: 'GET',
  headers: [],
  body: null,
  conditions: [{ type: 'STATUS_CODE', comparator: 'EQUALS', target: '200' }],
}

/** Inserts targets as the events of core would have left them. */
export const insertTargets = async (
  sql: postgres.Sql,
  { ids, intervalSeconds, timeoutMs, probeOf, location = 'default' }: InsertedTargets,
): Promise<void> => {
  const organizationId = newId()
  const locations = location === 'default' ? [] : [location]
  for (let start = 0; start < ids.length; start += ROWS_PER_INSERT) {
    const chunk = ids.slice(start, start + ROWS_PER_INSERT)
    const probes = chunk.map((_id, offset) => JSON.stringify(probeOf(start + offset)))
    await sql`
      INSERT INTO monitor.targets (organization_id, component_id, version, shard, name, is_enabled,
        probe, interval_seconds, timeout_ms, failure_threshold, recovery_threshold, locations)
      SELECT ${organizationId}, id, 1, shard, 'Target', true, probe::jsonb, ${intervalSeconds},
        ${timeoutMs}, 3, 2, ${locations}::text[]
      FROM unnest(${chunk}::uuid[], ${chunk.map(shardOf)}::smallint[], ${probes}::text[])
        AS t(id, shard, probe)`
    await sql`INSERT INTO monitor.target_states (organization_id, component_id, location)
      SELECT ${organizationId}, unnest(${chunk}::uuid[]), ${location}`
    await sql`INSERT INTO monitor.target_verdicts (organization_id, component_id)
      SELECT ${organizationId}, unnest(${chunk}::uuid[])`
  }
  await sql`ANALYZE monitor.targets, monitor.target_states, monitor.target_verdicts`
}

const httpProbes =
  (port: number, { isSecure }: Pick<MonitorBenchmarkOptions, 'isSecure'>) =>
  (index: number): object => {
    const origin = isSecure ? `https://${nameOf(index)}` : `http://${addressOf(index)}`
    return { ...HTTP_PROBE, url: `${origin}:${port}/${index}` }
  }
