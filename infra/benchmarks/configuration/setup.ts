/** A stack that accepts documents, and the measurements of its processes. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { ServiceName } from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { startStack } from '../../local/stack.ts'

const POLL_MS = 5

/**
 * The probe of the event loop costs each process a timer per millisecond, so times are measured
 * without it.
 */
export const startBenchmark = async ({ isProbed }: { isProbed: boolean }) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'benchmark-configuration-'))
  const stack = await startProbedStack(dataDir, { isProbed })
  const api = `${stack.processes.gateway.origin}/api/v1`
  const originOf = (service: ServiceName) => stack.processes[service].origin
  let cookie = ''
  const send = async (path: string, request: RequestInit): Promise<Response> => {
    const response = await fetch(`${api}${path}`, {
      ...request,
      headers: { cookie, ...(request.headers as Record<string, string>) },
    })
    if (!response.ok)
      throw new Error(`${path} returned ${response.status}: ${await response.text()}`)
    return response
  }
  return {
    originOf,
    /** Registers an empty organization. */
    async registerOrganization() {
      const name = `o${newId().slice(-8)}`
      const body = JSON.stringify({
        email: `owner@${name}.test`,
        password: 'correct horse battery',
        name: 'Olga',
        organizationName: name,
      })
      const headers = { 'content-type': 'application/json' }
      const response = await send('/auth/register', { method: 'POST', headers, body })
      cookie = response.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
    },
    async apply(body: string, query = ''): Promise<unknown> {
      const headers = { 'content-type': 'application/yaml' }
      const response = await send(`/config/apply?${query}`, { method: 'POST', headers, body })
      return response.json()
    },
    export: async (): Promise<string> => (await send('/config/export', {})).text(),
    async setVariable(name: string, value: string): Promise<void> {
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({ value })
      await send(`/config/variables/${name}`, { method: 'PUT', headers, body })
    },
    /** Sends a request and returns the status code of the response, whatever it is. */
    async requestStatus(path: string, body?: string): Promise<number> {
      const headers = { cookie, 'content-type': 'application/yaml' }
      const method = body === undefined ? 'GET' : 'POST'
      const response = await fetch(`${api}${path}`, { method, headers, body: body ?? null })
      await response.arrayBuffer()
      return response.status
    },
    async findFirstVersion(): Promise<string> {
      const response = await send('/config/versions?limit=1&sortOrder=asc', {})
      return ((await response.json()) as { data: { id: string }[] }).data[0]?.id ?? ''
    },
    /** Longest turn of the event loop since the last call, in ms of processor time. */
    longestTurnMs: (service: ServiceName) =>
      readLongestTurnMs(dataDir, stack.processes[service].pid ?? 0),
    close: () => stack.abort(),
  }
}

const startProbedStack = (dataDir: string, { isProbed }: { isProbed: boolean }) =>
  startStack({
    dataDir,
    disposable: true,
    services: ['gateway', 'core', 'notifier', 'integrations', 'config-sync'],
    env: {
      RATE_LIMIT_MULTIPLIER: '1000000',
      LOG_LEVEL: 'warn',
      PROBE_FOLDER: dataDir,
      ...(isProbed
        ? { NODE_OPTIONS: `--import=${import.meta.resolve('./event-loop-probe.ts')}` }
        : {}),
    },
    log: () => {},
  })

const readLongestTurnMs = async (folder: string, pid: number): Promise<number> => {
  const file = join(folder, String(pid))
  process.kill(pid, 'SIGUSR2')
  while (!existsSync(file)) await pause(POLL_MS)
  const longestTurnMs = Number(readFileSync(file, 'utf8'))
  rmSync(file)
  return longestTurnMs
}

export type ConfigurationBenchmark = Awaited<ReturnType<typeof startBenchmark>>
