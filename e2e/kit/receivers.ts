/** Targets of checks and receivers of messages; everything received is stored in order. */
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { IncidentStatus } from '@status-page/contracts'
import { httpTarget, type SmtpSink, type TargetRequest } from '@status-page/testing'
import type { Test } from 'tap'

/** Monitored HTTP service that can be stopped and started at the same address. */
export interface SwitchableTarget {
  url: string
  /** Requests so far, including those before a restart. */
  readonly requestCount: number
  stop(): Promise<void>
  start(): Promise<void>
}

export const switchableTarget = async (t: Test): Promise<SwitchableTarget> => {
  let requestCount = 0
  const server = createServer((_request, response) => {
    requestCount++
    response.end('ok')
  })
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject)
        resolve()
      })
    })
  const stop = () => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  t.teardown(stop)
  return {
    url: `http://127.0.0.1:${port}/health`,
    get requestCount() {
      return requestCount
    },
    stop,
    start: () => listen(port),
  }
}

/** Received message about an incident. */
export interface ReceivedMessage {
  incidentId: string
  status: IncidentStatus
  /** Value that is equal for all attempts of a delivery: `webhook-id`, `Message-ID`. */
  key: string
  /** Present for webhooks only, like `version` and `attempt`. */
  kind?: string
  version?: number
  attempt?: number
}

export interface WebhookReceiver {
  url: string
  requests: TargetRequest[]
  received(): ReceivedMessage[]
  /** Delays responses until the returned function is called. */
  pauseResponses(): () => void
  /** Number of requests with a valid signature by this secret over the received bytes. */
  countSigned(secret: string): number
}

export const webhookReceiver = async (t: Test): Promise<WebhookReceiver> => {
  const target = await httpTarget(t, { status: 204 })
  return {
    url: `${target.url}/hook`,
    requests: target.requests,
    received: () => target.requests.map(toReceivedMessage),
    pauseResponses() {
      const { promise, resolve } = Promise.withResolvers<void>()
      target.respond(() => promise.then(() => ({ status: 204 })))
      return resolve
    },
    countSigned: (secret) =>
      target.requests.filter(
        ({ headers, body }) =>
          headers['x-signature-256'] === createHmac('sha256', secret).update(body).digest('hex'),
      ).length,
  }
}

const toReceivedMessage = ({ headers, body }: TargetRequest): ReceivedMessage => {
  const { event, incident } = JSON.parse(body)
  return {
    incidentId: incident.id,
    status: incident.status,
    key: String(headers['webhook-id']),
    kind: event,
    version: Number(headers['x-event-sequence']),
    attempt: Number(headers['x-delivery-attempt']),
  }
}

const statusOfHeadline = new Map<string, IncidentStatus>([
  ['Investigating', 'investigating'],
  ['Identified', 'identified'],
  ['Monitoring', 'monitoring'],
  ['Resolved', 'resolved'],
  ['Reopened', 'investigating'],
])

/** Mails about incidents to one address, parsed. */
export const mailsTo = ({ mails }: SmtpSink, address: string): ReceivedMessage[] =>
  mails
    .filter(({ to }) => to.includes(address))
    .map(({ headers }) => {
      const headline = /^\[([^\]]+)\] /.exec(headers.subject ?? '')?.[1] ?? ''
      const status = statusOfHeadline.get(headline)
      if (status === undefined) throw new Error(`A mail without headline: ${headers.subject}`)
      const incidentId = /<incident-([^@]+)@/.exec(headers.references ?? '')?.[1] ?? ''
      return { incidentId, status, key: headers['message-id'] ?? '' }
    })
