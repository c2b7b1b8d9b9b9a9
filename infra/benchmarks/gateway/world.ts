/** A stack of gateway and core with one component, and the three ways to ask for the same bytes. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Identity } from '@status-page/contracts'
import { CALLER_HEADER, type Caller, callerSigner } from '@status-page/service'
import { loadSecrets } from '../../local/secrets.ts'
import { startStack } from '../../local/stack.ts'

export interface Way {
  name: string
  url: string
  /** Made anew for each run: a caller token lives a minute. */
  headers(): Record<string, string>
  /** Whose processor time is counted. */
  origins: Record<string, string>
}

export interface World {
  ways: { bare: Way; core: Way; gateway: Way }
  close(): Promise<void>
}

const PERMISSIONS = ['components:read', 'components:write']

export const openWorld = async (environment: Record<string, string>): Promise<World> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'benchmark-gateway-'))
  const stack = await startStack({
    dataDir,
    disposable: true,
    services: ['gateway', 'core'],
    env: { RATE_LIMIT_MULTIPLIER: '1000000', LOG_LEVEL: 'warn', ...environment },
    log: () => {},
  })
  const { gateway, core } = {
    gateway: stack.processes.gateway.origin,
    core: stack.processes.core.origin,
  }
  const { key, caller } = await makeKey(gateway)
  const bearer = { authorization: `Bearer ${key}` }
  const made = await ask(`${gateway}/api/v1/components`, bearer, { name: 'API', type: 'SERVICE' })
  const path = `/api/v1/components/${made.id}`
  const body = await (await fetch(`${gateway}${path}`, { headers: bearer })).text()
  const bare = await startBare(body)
  const { privateKey } = loadSecrets(dataDir, true).callerKeys.gateway
  const headersToCore = () => ({
    [CALLER_HEADER]: callerSigner({ issuer: 'gateway', privateKey }).sign(caller, 'core'),
  })
  return {
    ways: {
      bare: {
        name: 'bare Fastify',
        url: `${bare.origin}/answer`,
        headers: () => ({}),
        origins: { bare: bare.origin },
      },
      core: {
        name: 'core directly',
        url: `${core}${path}`,
        headers: headersToCore,
        origins: { core },
      },
      gateway: {
        name: 'through the gateway',
        url: `${gateway}${path}`,
        headers: () => bearer,
        origins: { gateway, core },
      },
    },
    async close() {
      bare.child.kill()
      await stack.stop()
    },
  }
}

const makeKey = async (origin: string): Promise<{ key: string; caller: Caller }> => {
  const registered = await fetch(`${origin}/api/v1/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      email: 'benchmark@example.com',
      password: 'correct horse battery',
      name: 'Benchmark',
      organizationName: 'Benchmark',
    }),
  })
  const [cookie = ''] = (registered.headers.get('set-cookie') ?? '').split(';', 1)
  const { organization } = (await registered.json()) as Identity
  const session = { cookie, 'sec-fetch-site': 'same-origin' }
  const { id, key } = await ask(`${origin}/api/v1/api-keys`, session, {
    name: 'Benchmark',
    permissions: PERMISSIONS,
  })
  const caller: Caller = {
    organizationId: organization.id,
    actor: { type: 'api_key', userId: null, apiKeyId: id ?? null },
    grants: { kind: 'key', permissions: PERMISSIONS } as Caller['grants'],
  }
  return { key: key ?? '', caller }
}

const ask = async (
  url: string,
  headers: Record<string, string>,
  body: object,
): Promise<{ id?: string; key?: string }> => {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (answer.status !== 201) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as { id?: string; key?: string }
}

const startBare = async (body: string) => {
  const program = fileURLToPath(new URL('bare-program.ts', import.meta.url))
  const child = fork(program, [body], { execArgv: ['--no-warnings'] })
  const [origin] = (await once(child, 'message')) as [string]
  return { child, origin }
}
