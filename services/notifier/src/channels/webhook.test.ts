/** Webhooks: requests, and the result of each response. */
import type { OutboundResult } from '@status-page/outbound'
import t from 'tap'
import { type WebhookEvent, webhookBody } from '../messages/webhook-body.ts'
import type { DecryptedChannel, OutgoingMessage } from './channel.ts'
import { conform } from './conformance.fixture.ts'
import { retryAfterMsOf } from './http.ts'
import { webhookRequestHeaders, webhookResult, webhookSender } from './webhook.ts'

const now = new Date('2026-01-02T03:04:05.000Z')

const event: WebhookEvent = {
  kind: 'incident.created',
  occurredAt: now,
  incident: {
    id: 'inc_1',
    title: 'API errors',
    status: 'investigating',
    impact: 'major',
    message: 'not part of the body',
    components: [
      { id: 'c1', name: 'API', status: 'major_outage', isMuted: false, ancestorIds: [] },
    ],
    startedAt: now.toISOString(),
    resolvedAt: null,
    url: 'https://example.com',
    statusPageIds: [],
    notifySubscribers: true,
  },
}

const message: OutgoingMessage = {
  deliveryId: 'd1',
  eventId: '01',
  sequence: 7,
  attempt: 2,
  address: 'https://example.com/hook',
  body: webhookBody(event),
  previousSecret: null,
  secret: 's3cr3t',
  senderName: 'Acme',
  mail: null,
  text: null,
  channel: null,
}

t.test('the body has exactly the fields of the contract', async (t) => {
  t.equal(
    message.body?.toString(),
    '{"event":"incident.created","timestamp":"2026-01-02T03:04:05.000Z","incident":{"id":"inc_1",' +
      '"title":"API errors","status":"investigating","impact":"major","components":["API"]}}',
  )
})

t.test('the signature is the bare hex of the published vector', async (t) => {
  t.equal(
    webhookRequestHeaders(message, 'agent', now)['x-signature-256' as never],
    '2b42607db6e9798c53a908d61726491eb8d3dce9519a03b3ce1fc414f485067a',
  )
})

t.test('the id is the same on every attempt, time and number are not', async (t) => {
  const first = webhookRequestHeaders({ ...message, attempt: 1 }, 'agent', now)
  const later = webhookRequestHeaders(message, 'agent', new Date(now.getTime() + 60_000))
  t.equal(first['webhook-id'], 'evt_01')
  t.equal(later['webhook-id'], 'evt_01')
  t.equal(Number(later['webhook-timestamp']) - Number(first['webhook-timestamp']), 60)
  t.equal(later['x-delivery-attempt'], '2')
  t.equal(later['x-event-sequence'], '7')
})

t.test('without a secret nothing is signed', async (t) => {
  t.notMatch(
    Object.keys(webhookRequestHeaders({ ...message, secret: null }, 'agent', now)),
    /signature/,
  )
})

const answered = (status: number, headers: Record<string, string> = {}) =>
  ({ ok: true, status, headers, body: Buffer.alloc(0), truncated: false }) as OutboundResult

t.test('every status has its class', async (t) => {
  const classes: [string, number[]][] = [
    ['delivered', [200, 201, 202, 204, 299]],
    ['event', [400, 409, 413, 415, 422]],
    ['gone', [410]],
    [
      'endpoint',
      [300, 301, 302, 307, 308, 401, 403, 404, 405, 408, 418, 429, 451, 500, 502, 503, 504, 599],
    ],
  ]
  for (const [expected, statuses] of classes) {
    for (const status of statuses) {
      t.equal(webhookResult(answered(status), now).class, expected, String(status))
    }
  }
})

t.test('Retry-After is respected with 429 and 503 only', async (t) => {
  for (const status of [429, 503]) {
    t.match(webhookResult(answered(status, { 'retry-after': '120' }), now), {
      retryAfterMs: 120_000,
    })
  }
  t.notMatch(webhookResult(answered(500, { 'retry-after': '120' }), now), { retryAfterMs: Number })
})

t.test('Retry-After is either seconds or a date', async (t) => {
  t.equal(retryAfterMsOf('120', now), 120_000)
  t.equal(retryAfterMsOf('Fri, 02 Jan 2026 03:05:05 GMT', now), 60_000)
  t.equal(retryAfterMsOf('Fri, 02 Jan 2020 03:05:05 GMT', now), 0)
  for (const junk of ['', 'soon', '-1', '1e3', '99999999999']) {
    t.not(retryAfterMsOf(junk, now), Number(junk) * 1000, junk)
  }
  t.equal(retryAfterMsOf(undefined, now), undefined)
})

t.test('a blocked address is final, a missing response is a failure of the endpoint', async (t) => {
  const failed = (error: string) => ({ ok: false, error }) as OutboundResult
  t.equal(webhookResult(failed('blocked'), now).class, 'blocked')
  for (const error of [
    'dns_error',
    'connect_error',
    'tls_error',
    'protocol_error',
    'timeout',
    'too_large',
  ]) {
    t.equal(webhookResult(failed(error), now).class, 'endpoint', error)
  }
})

const channel = {
  id: 'n1',
  organizationId: 'z1',
  name: 'Tickets',
  type: 'webhook',
  messageTemplate: null,
  config: {
    url: 'https://example.com/hook',
    method: 'PUT',
    bodyTemplate: null,
    headers: { Authorization: 'Bearer x', 'Content-Type': 'text/plain', 'webhook-id': 'forged' },
  },
} as DecryptedChannel<'webhook'>

t.test('a channel adds headers and cannot replace the standard ones', async (t) => {
  t.match(webhookRequestHeaders({ ...message, channel }, 'agent', now), {
    authorization: 'Bearer x',
    'content-type': 'text/plain',
    'webhook-id': 'evt_01',
  })
})

conform(t, {
  type: 'webhook',
  senderOf: (outbound) => webhookSender(outbound, 'agent'),
  channelAt: (url) => ({ ...channel, config: { ...channel.config, url } }),
  classes: { event: [400, 409, 413, 415, 422], gone: [410] },
  otherwise: 'endpoint',
  withoutResponse: 'endpoint',
})
