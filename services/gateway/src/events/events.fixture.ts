/** Gateways that listen for tests of the event log, and events of an organization. */
import type { AddressInfo } from 'node:net'
import { clientEventId, type EventPayload, type StreamedKind } from '@status-page/contracts'
import { type Database, newId, write } from '@status-page/postgres'
import type { ServiceApp } from '@status-page/service'
import { openEventStream } from '@status-page/testing'
import type { Test } from 'tap'
import {
  type GatewayTestSettings,
  gatewayOver,
  type SignedInMember,
  type TestGateway,
  testGateway,
} from '../gateway.fixture.ts'
import { appendEvent } from './store.ts'

export interface ListeningGateway extends ServiceApp {
  origin: string
}

/** Starts the background work and the server, as a process does. */
const startGateway = async <App extends ServiceApp>(
  t: Test,
  app: App,
): Promise<App & ListeningGateway> => {
  const background = app.background ?? []
  for (const work of background) await work.start()
  await app.http.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(async () => {
    await app.http.close()
    for (const work of background) await work.stop()
  })
  const { port } = app.http.server.address() as AddressInfo
  return { ...app, origin: `http://127.0.0.1:${port}` }
}

export const listeningGateway = async (
  t: Test,
  settings: GatewayTestSettings = {},
): Promise<TestGateway & ListeningGateway> => startGateway(t, await testGateway(t, settings))

/** Second replica over the database of the first. */
export const listeningReplica = async (
  t: Test,
  { databases }: TestGateway,
): Promise<ListeningGateway> => startGateway(t, gatewayOver(t, await databases.connect('gateway')))

/** Appends an event about an incident with the title; returns the id that clients receive. */
export const append = async (
  { database }: { database: Database },
  member: SignedInMember,
  title: string,
  kind: StreamedKind = 'incident.created',
): Promise<string> => {
  const eventId = newId()
  const organizationId = member.identity.organization.id
  const payload: EventPayload = {
    event: kind,
    timestamp: new Date().toISOString(),
    incident: { id: newId(), title, status: 'investigating', impact: 'major', components: [] },
  }
  await write(database, { organizationId }, (scope) => appendEvent(scope, { eventId, payload }))
  return clientEventId(eventId)
}

export const follow = ({ origin }: ListeningGateway, headers: Record<string, string>, query = '') =>
  openEventStream(`${origin}/api/v1/events/stream${query}`, headers)
