/** A stack that takes documents, and what its processes tell of themselves. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServiceName } from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { startStack } from '../../local/stack.ts'

export const openWorld = async () => {
  const stack = await startStack({
    dataDir: mkdtempSync(join(tmpdir(), 'benchmark-configuration-')),
    disposable: true,
    services: ['gateway', 'core', 'integrations', 'config-sync'],
    env: { RATE_LIMIT_MULTIPLIER: '1000000', LOG_LEVEL: 'warn' },
    log: () => {},
  })
  const api = `${stack.processes.gateway.origin}/api/v1`
  const originOf = (service: ServiceName) => stack.processes[service].origin
  let cookie = ''
  const send = async (path: string, request: RequestInit): Promise<Response> => {
    const answer = await fetch(`${api}${path}`, {
      ...request,
      headers: { cookie, ...(request.headers as Record<string, string>) },
    })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    return answer
  }
  return {
    originOf,
    /** A new organization, in which nothing is yet. */
    async begin() {
      const name = `o${newId().slice(-8)}`
      const body = JSON.stringify({
        ...{ email: `owner@${name}.test`, password: 'correct horse battery', name: 'Olga' },
        organizationName: name,
      })
      const headers = { 'content-type': 'application/json' }
      const answer = await send('/auth/register', { method: 'POST', headers, body })
      cookie = answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
    },
    async apply(body: string, query = ''): Promise<unknown> {
      const headers = { 'content-type': 'application/yaml' }
      const answer = await send(`/config/apply?${query}`, { method: 'POST', headers, body })
      return answer.json()
    },
    export: async (): Promise<string> => (await send('/config/export', {})).text(),
    /** The greatest delay of the event loop since the last time that it was asked for. */
    async heldMs(service: ServiceName): Promise<number> {
      const metrics = await (await fetch(`${originOf(service)}/metrics`)).text()
      const seconds = /^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(metrics)?.[1]
      return Number(seconds) * 1_000
    },
    close: () => stack.abort(),
  }
}
