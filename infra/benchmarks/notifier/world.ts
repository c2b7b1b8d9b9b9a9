/** A notifier with subscribers of several organizations, an outbox to speak through, and receivers. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { startStack } from '../../local/stack.ts'

/** Beyond every limit that a benchmark is not about. */
const LIMITLESS = '1000000'

export const openWorld = async () => {
  const stack = await startStack({
    dataDir: mkdtempSync(join(tmpdir(), 'benchmark-notifier-')),
    services: ['core', 'notifier'],
    env: {
      ...{ LOG_LEVEL: 'warn', OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', MAIL_DIR: '' },
      RATE_LIMIT_MULTIPLIER: LIMITLESS,
    },
    ...{ disposable: true, log: () => {}, natsUrl: null },
  })
  const sql = postgres(stack.adminUrl, { max: 1, onnotice: () => {} })
  return {
    sql,
    origin: stack.processes.notifier.origin,
    /** Active subscribers to everything; webhooks each with an address of their own at the receiver. */
    async subscribe(organizationId: string, type: 'email' | 'webhook', count: number, origin = '') {
      await sql`
        INSERT INTO notifier.destinations
          (id, organization_id, subscriber_id, type, address, state, version)
        SELECT notifier.new_id(), ${organizationId}, gen_random_uuid(), ${type}::text,
          CASE ${type}::text WHEN 'email' THEN n || '@example.com' ELSE ${origin} || '/' || n END,
          'active', 1 FROM generate_series(1, ${count}) n`
      await sql`
        INSERT INTO notifier.audiences (organization_id, destination_id, events, component_ids)
        SELECT organization_id, id, '{incident.created}', '{}' FROM notifier.destinations
        WHERE organization_id = ${organizationId} ON CONFLICT DO NOTHING`
    },
    /** As core states it; the time is its commit. */
    async open(organizationId: string): Promise<string> {
      const [eventId, id] = [randomUUID(), randomUUID()]
      const incident = {
        ...{ id, title: 'API is down', status: 'investigating', impact: 'critical' },
        ...{ message: 'We are on it.', components: [], resolvedAt: null, url: null },
        ...{ startedAt: new Date().toISOString(), statusPageIds: [], notifySubscribers: true },
      }
      const event = {
        ...{ event_id: eventId, organization_id: organizationId, kind: 'incident.created' },
        ...{ aggregate_type: 'incident', aggregate_id: id, aggregate_version: 1 },
        subject: `events.incident.created.${organizationId}`,
        payload: { incident },
      }
      await sql`INSERT INTO core.outbox ${sql(event as never)}`
      return eventId
    },
    async hasReceipt(eventId: string): Promise<boolean> {
      const rows = await sql`SELECT FROM notifier.inbox WHERE event_id = ${eventId}`
      return rows.length > 0
    },
    async residentBytes(): Promise<number> {
      const text = await (await fetch(`${stack.processes.notifier.origin}/metrics`)).text()
      return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1])
    },
    async close() {
      await sql.end()
      await stack.stop()
    },
  }
}

export type World = Awaited<ReturnType<typeof openWorld>>

/** Answers each request at once, or never where its path is below `/hang`. */
export const openReceiver = async () => {
  const arrivals: number[] = []
  const server: Server = createServer((request, response) => {
    if (request.url?.startsWith('/hang') === true) return
    arrivals.push(performance.now())
    request.resume()
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    arrivals,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
