/** Notifier with subscribers of several organizations and a sink that counts their messages. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { IncidentEventData } from '@status-page/contracts'
import { createSealer } from '@status-page/secrets'
import postgres from 'postgres'
import { startStack } from '../../local/stack.ts'
import { registerOwner } from '../measure/owner.ts'
import { processAndDescendants, processorMicrosWithEnded } from '../measure/processes.ts'
import { profileEnvironment } from '../measure/profile.ts'
import { startProgram } from '../measure/program.ts'
import type { SinkArrivals, SinkPorts } from './sink-program.ts'

const ENCRYPTION_KEY = 'k'.repeat(32)
/** Setting that disables the rate limits that the benchmark does not measure. */
const UNLIMITED = '1000000'

export const startBenchmark = async () => {
  const sink = await openSink()
  const stack = await startStack({
    dataDir: mkdtempSync(join(tmpdir(), 'benchmark-notifier-')),
    services: ['gateway', 'core', 'notifier'],
    env: {
      ENCRYPTION_KEY,
      ...profileEnvironment,
      LOG_LEVEL: 'warn',
      OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
      MAIL_DIR: '',
      RATE_LIMIT_MULTIPLIER: UNLIMITED,
      SMTP_URL: `smtp://127.0.0.1:${sink.ports.smtp}`,
    },
    disposable: true,
    log: () => {},
  })
  const sql = postgres(stack.adminUrl, { max: 1, onnotice: () => {} })
  return {
    sql,
    sink,
    origin: stack.processes.notifier.origin,
    /** Inserts active subscribers to new incidents; each webhook has its own path and secret. */
    subscribe: createSubscribe(sql, sink.ports.http),
    /** Registers a new organization; returns a function that opens an incident in it. */
    register: () => register(stack.processes.gateway.origin),
    /** Inserts an incident event into core's outbox; resolves at its commit. */
    async insertEvent(organizationId: string): Promise<string> {
      const [eventId, id] = [randomUUID(), randomUUID()]
      const event = {
        event_id: eventId,
        organization_id: organizationId,
        kind: 'incident.created',
        aggregate_type: 'incident',
        aggregate_id: id,
        aggregate_version: 1,
        subject: `events.incident.created.${organizationId}`,
        payload: { incident: incidentOf(id) },
      }
      await sql`INSERT INTO core.outbox ${sql(event as never)}`
      await sql`SELECT pg_notify('outbox_new', 'core')`
      return eventId
    },
    async deliveriesOf(eventId: string): Promise<number> {
      const [row] = await sql<{ count: number }[]>`
        SELECT count(*)::int AS count FROM notifier.deliveries WHERE event_id = ${eventId}`
      return row?.count ?? 0
    },
    async hasReceipt(eventId: string): Promise<boolean> {
      const rows = await sql`SELECT FROM notifier.inbox
        WHERE event_id = ${eventId} AND consumer = 'notifier-deliveries'`
      return rows.length > 0
    },
    /** Processor time of Postgres with its open and its ended connections, in µs. */
    postgresMicros: () => processorMicrosWithEnded(processAndDescendants(stack.postgres?.pid ?? 0)),
    async residentBytes(): Promise<number> {
      const text = await (await fetch(`${stack.processes.notifier.origin}/metrics`)).text()
      return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1])
    },
    async close() {
      await sql.end()
      await stack.stop()
      sink.close()
    },
  }
}

export const incidentOf = (id: string): IncidentEventData => ({
  id,
  title: 'API is down',
  status: 'investigating',
  impact: 'critical',
  message: 'We are on it.',
  components: [],
  resolvedAt: null,
  url: null,
  startedAt: new Date().toISOString(),
  statusPageIds: [],
  notifySubscribers: true,
})

const sealer = createSealer({ current: ENCRYPTION_KEY })

export type NotifierBenchmark = Awaited<ReturnType<typeof startBenchmark>>
type Type = 'email' | 'sms' | 'webhook'

const createSubscribe =
  (sql: postgres.Sql, port: number) =>
  async (organizationId: string, type: Type, count: number, path = ''): Promise<void> => {
    const url = `http://127.0.0.1:${port}${path}`
    const subscribers = Array.from({ length: count }, () => randomUUID())
    const secrets = subscribers.map((recordId) =>
      type === 'webhook'
        ? sealer.seal(recordId, { organizationId, purpose: 'webhook', recordId })
        : null,
    )
    await sql`
      INSERT INTO notifier.destinations
        (id, organization_id, subscriber_id, webhook_secret, type, address, state, version)
      SELECT notifier.new_id(), ${organizationId}, id, secret, ${type}::text,
        CASE ${type}::text WHEN 'email' THEN n || '@example.com' WHEN 'sms' THEN '+49' || n
          ELSE ${url} || '/' || n END,
        'active', 1
      FROM unnest(${subscribers}::uuid[], ${secrets as string[]}::text[])
        WITH ORDINALITY AS s(id, secret, n)`
    await sql`
      INSERT INTO notifier.audiences (organization_id, destination_id, events, component_ids)
      SELECT organization_id, id, '{incident.created}', '{}' FROM notifier.destinations
      WHERE organization_id = ${organizationId} AND kind = 'subscriber' ON CONFLICT DO NOTHING`
    await sql`ANALYZE notifier.destinations, notifier.audiences`
  }

const openSink = async () => {
  const { child, message: ports } = await startProgram<SinkPorts>(
    new URL('sink-program.ts', import.meta.url),
  )
  const request = async (command: 'report' | 'reset'): Promise<SinkArrivals> => {
    child.send(command)
    const [arrivals] = (await once(child, 'message')) as [SinkArrivals]
    return arrivals
  }
  return { ports, request, close: () => child.kill() }
}

const register = async (origin: string) => {
  const { organizationId, send } = await registerOwner(origin)
  return { organizationId, open: () => send('POST', '/incidents', { title: 'API is down' }) }
}
