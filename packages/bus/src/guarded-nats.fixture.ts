/**
 * nats-server with the users of one or more installations, and clients that connect as one of them.
 */
import { events, type ServiceName, services } from '@status-page/contracts'
import {
  connect,
  type JetStreamClient,
  type JetStreamManager,
  type NatsConnection,
  NatsError,
} from 'nats'
import type { Test } from 'tap'
import { type BusTestScope, fast } from './bus.fixture.ts'
import { natsNames } from './nats-names.ts'
import { type NatsServer, startNats } from './nats-server.fixture.ts'
import { natsPermissions, type RegisteredConsumer } from './permissions.ts'

const TIMEOUT_MS = 2_000

export interface GuardedNats {
  nats: NatsServer
  urlOf(service: ServiceName, prefix?: string): string
}

const passwordOf = (user: string) => `password-of-${user}`

export const guardedNats = async (
  t: BusTestScope,
  consumers: readonly RegisteredConsumer[],
  prefixes = [''],
): Promise<GuardedNats> => {
  const variables = prefixes
    .map((prefix) => natsNames(prefix))
    .flatMap((names) =>
      services.map((service) => [names.passwordVariable(service), passwordOf(names.user(service))]),
    )
  const nats = await startNats(t, {
    authorization: natsPermissions({ events, consumers }, prefixes),
    environment: Object.fromEntries(variables),
  })
  const urlOf = (service: ServiceName, prefix = '') => {
    const user = natsNames(prefix).user(service)
    return nats.url.replace('nats://', `nats://${user}:${passwordOf(user)}@`)
  }
  return { nats, urlOf }
}

export interface NatsTestClient {
  connection: NatsConnection
  js: JetStreamClient
  jsm: JetStreamManager
}

export const natsTestClient = async (
  t: BusTestScope,
  { nats }: GuardedNats,
  service: ServiceName,
  prefix = '',
): Promise<NatsTestClient> => {
  const names = natsNames(prefix)
  const connection = await connect({
    servers: new URL(nats.url).host,
    user: names.user(service),
    pass: passwordOf(names.user(service)),
    inboxPrefix: names.inboxPrefix(service),
    reconnectTimeWait: fast.reconnectMs ?? 0,
  })
  t.teardown(() => connection.close())
  const jsm = await connection.jetstreamManager({ checkAPI: false, timeout: TIMEOUT_MS })
  return { connection, js: connection.jetstream({ timeout: TIMEOUT_MS }), jsm }
}

export const rejectsForPermissions = (
  t: Pick<Test, 'rejects'>,
  description: string,
  attempt: Promise<unknown>,
) =>
  t.rejects(
    attempt.catch((error: unknown) => {
      const isPermissionError = error instanceof NatsError && error.isPermissionError()
      throw new Error(isPermissionError ? 'not permitted' : `failed otherwise: ${error}`)
    }),
    new Error('not permitted'),
    description,
  )
