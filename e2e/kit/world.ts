/**
 * Disposable installation: the real processes on free ports, in a temporary folder that is removed
 * after the test.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServiceName } from '@status-page/contracts'
import { type Stack, startStack } from '@status-page/infra/local'
import { eventually, type SmtpSink, smtpSink } from '@status-page/testing'
import postgres from 'postgres'
import type { Test } from 'tap'
import { type Api, apiOf } from './api.ts'

/** Shorter intervals for redelivery and bypass; a quarter preserves their proportions. */
export const QUARTER_INTERVALS = { BUS_INTERVAL_PERCENT: '25' }
/** High enough that tests about other subjects never reach a rate limit. */
const LIMIT_MULTIPLIER = '1000'
const ERROR_LEVEL = 50
const SHOWN_LINES = 40

export interface World {
  stack: Stack
  /** Client without a credential. */
  api: Api
  /** Connection that can read all schemas; for assertions only. */
  admin: postgres.Sql
  smtp: SmtpSink
}

export interface WorldOptions {
  env?: Record<string, string>
  /** Acknowledged commits survive a kill of Postgres; slightly slower. */
  durable?: boolean
}

/** Starts an installation. Killed processes stay down until the test starts them again. */
export const startWorld = async (t: Test, options: WorldOptions = {}): Promise<World> => {
  const smtp = await smtpSink(t)
  const dataDir = mkdtempSync(join(tmpdir(), 'status-page-e2e-'))
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }))
  const lines: string[] = []
  const stack = await startStack({
    dataDir,
    disposable: options.durable !== true,
    autoRestart: false,
    log: (line) => lines.push(line),
    env: {
      OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
      SMTP_URL: smtp.url,
      RATE_LIMIT_MULTIPLIER: LIMIT_MULTIPLIER,
      ...options.env,
    },
  })
  const admin = postgres(stack.adminUrl, { max: 2, onnotice: () => {} })
  t.teardown(async () => {
    if (!t.passing()) console.error([...lines, ...errorLogsIn(stack.logFolder)].join('\n'))
    await admin.end({ timeout: 1 })
    await stack.abort()
  })
  return { stack, api: apiOf(stack.baseUrl), admin, smtp }
}

/** Returns the errors that services have logged; a healthy installation logs none. */
export const errorLogsIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.log'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    .filter((line) => line.startsWith('{') && levelOf(line) >= ERROR_LEVEL)
    .slice(-SHOWN_LINES)

const levelOf = (line: string): number => {
  try {
    return Number(JSON.parse(line).level)
  } catch {
    // The last line was cut off by a kill.
    return 0
  }
}

const START_ATTEMPTS = 3

/**
 * Restarts the service with a fault point at which it kills itself; repeats the start when the
 * fault strikes before the service is ready.
 */
export const restartWithFault = async (
  { stack }: World,
  service: ServiceName,
  faultPoint: string,
): Promise<void> => {
  const child = stack.processes[service]
  for (let attempt = 1; ; attempt++) {
    try {
      await child.restart({ FAULT_POINT: faultPoint })
      return await child.waitReady()
    } catch (error) {
      if (attempt === START_ATTEMPTS) throw error
    }
  }
}

/** Waits until the fault has killed the service, then starts it without the fault. */
export const reviveAfterFault = async ({ stack }: World, service: ServiceName): Promise<void> => {
  const process = stack.processes[service]
  await eventually(() => process.pid === undefined, { timeoutMs: 30_000 })
  await process.restart({ FAULT_POINT: '' })
  await process.waitReady()
}

export const killAndRevive = async ({ stack }: World, service: ServiceName): Promise<void> => {
  const process = stack.processes[service]
  await process.kill('SIGKILL')
  await process.restart({ FAULT_POINT: '' })
  await process.waitReady()
}
