/** A stack of gateway and core with one component, and the routes that return the same bytes. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CALLER_HEADER, type Caller, callerSigner } from '@status-page/service'
import { loadSecrets } from '../../local/secrets.ts'
import { startStack } from '../../local/stack.ts'
import { metricsSettings } from '../measure/cpu.ts'
import { type BenchmarkOwner, registerOwner } from '../measure/owner.ts'
import { profileEnvironment } from '../measure/profile.ts'
import { startProgram } from '../measure/program.ts'

export interface RequestRoute {
  name: string
  url: string
  /** Addresses of further replicas, which requests at a constant rate use in turns. */
  otherUrls?: readonly string[]
  /** Created for each run, because a caller token is valid for one minute. */
  headers(): Record<string, string>
  /** Origins of the processes whose processor time is counted. */
  origins: Record<string, string>
}

export interface GatewayBenchmark {
  routes: {
    bare: RequestRoute
    core: RequestRoute
    hop: RequestRoute
    gateway: RequestRoute
    twoGateways: RequestRoute
  }
  close(): Promise<void>
}

const PERMISSIONS = ['components:read', 'components:write']

export const startBenchmark = async (): Promise<GatewayBenchmark> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'benchmark-gateway-'))
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
  const { gateway, core } = {
    gateway: stack.processes.gateway.origin,
    core: stack.processes.core.origin,
  }
  const owner = await registerOwner(gateway)
  const { key, caller } = await makeKey(owner)
  const bearer = { authorization: `Bearer ${key}` }
  const component = { name: 'API', type: 'SERVICE' }
  const { id } = await owner.send<{ id: string }>('POST', '/components', component)
  const path = `/api/v1/components/${id}`
  const body = await (await fetch(`${gateway}${path}`, { headers: bearer })).text()
  const bare = await startProgram<string>(new URL('bare-program.ts', import.meta.url), [body])
  const hop = await startProgram<string>(new URL('hop-program.ts', import.meta.url), [core])
  const { origin: replica } = await stack.replicate('gateway')
  const secrets = loadSecrets(dataDir, true)
  const { privateKey } = secrets.callerKeys.gateway
  const headersToCore = () => ({
    [CALLER_HEADER]: callerSigner({ issuer: 'gateway', privateKey }).sign(caller, 'core'),
  })
  const origins = { bare: bare.message, core, hop: hop.message, gateway, replica }
  return {
    routes: routesOf(path, origins, { core: headersToCore, gateway: () => bearer }),
    async close() {
      bare.child.kill()
      hop.child.kill()
      await stack.stop()
    },
  }
}

const routesOf = (
  path: string,
  {
    bare,
    core,
    hop,
    gateway,
    replica,
  }: Record<'bare' | 'core' | 'hop' | 'gateway' | 'replica', string>,
  headers: Record<'core' | 'gateway', RequestRoute['headers']>,
): GatewayBenchmark['routes'] => ({
  bare: { name: 'bare Fastify', url: `${bare}/answer`, headers: () => ({}), origins: { bare } },
  core: {
    name: 'core directly',
    url: `${core}${path}`,
    headers: headers.core,
    origins: { core },
  },
  hop: {
    name: 'through a bare hop',
    url: `${hop}${path}`,
    headers: headers.core,
    origins: { hop, core },
  },
  gateway: {
    name: 'through the gateway',
    url: `${gateway}${path}`,
    headers: headers.gateway,
    origins: { gateway, core },
  },
  twoGateways: {
    name: 'through two gateways',
    url: `${gateway}${path}`,
    otherUrls: [`${replica}${path}`],
    headers: headers.gateway,
    origins: { gateway, replica, core },
  },
})

const makeKey = async ({
  organizationId,
  send,
}: BenchmarkOwner): Promise<{ key: string; caller: Caller }> => {
  const { id, key } = await send<{ id: string; key: string }>('POST', '/api-keys', {
    name: 'Benchmark',
    permissions: PERMISSIONS,
  })
  const caller: Caller = {
    organizationId,
    actor: { type: 'api_key', userId: null, apiKeyId: id },
    grants: { kind: 'key', permissions: PERMISSIONS } as Caller['grants'],
  }
  return { key, caller }
}
