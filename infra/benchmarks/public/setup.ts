/** A stack of gateway and core with one status page, and servers that send the same bytes. */
import { once } from 'node:events'
import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import postgres from 'postgres'
import { startStack } from '../../local/stack.ts'
import { cpuMicros, metricsSettings } from '../measure/cpu.ts'
import type { LoadOptions, LoadResult } from '../measure/load.ts'
import { registerOwner } from '../measure/owner.ts'
import { profileEnvironment } from '../measure/profile.ts'
import { forkProgram, startProgram } from '../measure/program.ts'
import { numberSetting } from '../measure/settings.ts'
import { hasNginx, startNginx } from './nginx.ts'
import {
  browserHeaders,
  type ResponseName,
  recordResponses,
  responseNames,
  sendRequest,
} from './recorded-responses.ts'

export interface BenchmarkServer {
  name: string
  urls: Record<ResponseName, string>
  /** Processor time in µs since the start of the process. */
  cpu(): Promise<number>
}

export interface PublicBenchmark {
  gateway: BenchmarkServer
  yardsticks: BenchmarkServer[]
  bytes: string
  measure(load: LoadOptions): Promise<LoadResult>
  /** Request headers that make the server respond with 304. */
  conditionalHeaders(url: string): Promise<Record<string, string>>
  /** Changes the status of a component through the API. */
  change(): Promise<void>
  /** Transactions of the whole installation so far. */
  transactions(): Promise<number>
  close(): Promise<void>
}

const SLUG = 'benchmark'
const components = numberSetting('COMPONENTS', 20)
const uptimeDays = numberSetting('UPTIME_DAYS', 90)
/** Postgres updates its statistics with a delay of one second. */
const STATISTICS_DELAY_MS = 1_500

export const startBenchmark = async (): Promise<PublicBenchmark> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'benchmark-public-'))
  const stack = await startStack({
    dataDir,
    disposable: true,
    services: ['gateway', 'core'],
    env: {
      RATE_LIMIT_MULTIPLIER: '1000000',
      LOG_LEVEL: 'warn',
      ...metricsSettings,
      ...profileEnvironment,
    },
    log: () => {},
  })
  const { origin } = stack.processes.gateway
  const sql = postgres(stack.adminUrl, { max: 1, onnotice: () => {} })
  const change = await publish(origin)
  const urls = {
    json: `${origin}/api/v1/public/status/${SLUG}`,
    page: `${origin}/status/${SLUG}`,
  }
  const folder = join(dataDir, 'recorded')
  mkdirSync(folder)
  const bytes = await recordResponses(folder, urls)
  const yardsticks = await startYardsticks(folder)
  const generator = forkProgram(new URL('load-program.ts', import.meta.url))
  return {
    bytes,
    gateway: { name: 'gateway', urls, cpu: () => cpuMicros(origin) },
    yardsticks: yardsticks.servers,
    async measure(load) {
      const reply = once(generator, 'message')
      generator.send(load)
      const [measured] = (await reply) as [LoadResult]
      return measured
    },
    async conditionalHeaders(url) {
      const { response } = await sendRequest(url)
      return { ...browserHeaders, 'if-none-match': String(response.headers.etag) }
    },
    change,
    async transactions() {
      await delay(STATISTICS_DELAY_MS)
      const [row] = await sql<{ count: string }[]>`
        SELECT sum(xact_commit + xact_rollback) AS count FROM pg_stat_database
        WHERE datname = current_database()`
      return Number(row?.count)
    },
    async close() {
      generator.kill()
      yardsticks.stop()
      await sql.end()
      await stack.stop()
    },
  }
}

/** Starts the servers of the recorded responses that the gateway is compared with. */
const startYardsticks = async (folder: string) => {
  const program = new URL('bare-program.ts', import.meta.url)
  const { child, message: bareOrigin } = await startProgram<string>(program, [folder])
  const nginx = hasNginx() ? await startNginx(folder) : null
  const urlsAt = (origin: string) =>
    Object.fromEntries(
      responseNames.map((name) => [name, `${origin}/${name}`]),
    ) as BenchmarkServer['urls']
  const servers: BenchmarkServer[] = [
    { name: 'bare Fastify', urls: urlsAt(bareOrigin), cpu: () => cpuMicros(bareOrigin) },
  ]
  if (nginx !== null) {
    servers.push({ name: 'nginx', urls: urlsAt(nginx.origin), cpu: nginx.cpuMicros })
  }
  return {
    servers,
    stop() {
      child.kill()
      nginx?.stop()
    },
  }
}

/** Creates a page during an incident; returns the function that changes it. */
const publish = async (origin: string): Promise<() => Promise<void>> => {
  const { send } = await registerOwner(origin)
  const ids: string[] = []
  for (let index = 0; index < components; index++) {
    const body = { name: `Component ${index}`, type: 'SERVICE', description: 'What it is for.' }
    ids.push((await send<{ id: string }>('POST', '/components', body)).id)
  }
  const [first = '', second = ''] = ids
  const page = { name: 'Benchmark', slug: SLUG, isPublished: true, customDomain: null, uptimeDays }
  await send('POST', '/status-pages', page)
  await send('POST', '/incidents', {
    title: 'Searches fail',
    impact: 'major',
    message: 'We look into it.',
    // A status with downtime would change the uptime figure, and so the ETag, every minute.
    componentStatuses: { [first]: 'degraded_performance' },
  })
  let isSlow = false
  return async () => {
    isSlow = !isSlow
    const status = isSlow ? 'degraded_performance' : 'operational'
    await send('PATCH', `/components/${second}`, { status })
  }
}
