/** Text messages: requests, results by error code, and no duplicates after an unknown outcome. */
import { createOutbound, outboundPolicy } from '@status-page/outbound'
import { httpTarget } from '@status-page/testing'
import t, { type Test } from 'tap'
import type { DecryptedChannel } from './channel.ts'
import { conform, messageTo } from './conformance.fixture.ts'
import { smsResultOfCode, smsSender } from './sms.ts'

const baseUrl = 'https://status.example.com'
const accountSid = `AC${'0a'.repeat(16)}`
const channel = {
  id: 'n1',
  organizationId: 'z1',
  name: 'SMS',
  type: 'sms',
  messageTemplate: null,
  config: { accountSid, authToken: 'swordfish', fromNumber: '+15005550006', recipients: [] },
} as DecryptedChannel

conform(t, {
  type: 'sms',
  senderOf: (outbound, apiUrl) => smsSender(outbound, { baseUrl, apiUrl }),
  channelAt: () => channel,
  classes: {
    // The receivers of this suite respond without JSON, whatever the status.
    transport: [200, 201, 202, 204, 401, 429, 500, 501, 502, 503, 504, 520, 599],
  },
  otherwise: 'event',
  withoutResponse: 'transport',
})

const account = async (t: Test, sid = 'SM1') => {
  const target = await httpTarget(t, ({ method }) => {
    const body = method === 'POST' ? { sid, status: 'queued' } : { messages: [] }
    return {
      status: method === 'POST' ? 201 : 200,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }
  })
  const policy = outboundPolicy({ allowCidrs: ['127.0.0.0/8'], ownHosts: [] })
  const outbound = createOutbound({ policy })
  t.teardown(() => outbound.close())
  return { target, sender: smsSender(outbound, { baseUrl, apiUrl: target.url }) }
}

t.test('a message contains its status callback and its validity period', async (t) => {
  const { target, sender } = await account(t)
  t.match(await sender.send(messageTo(channel)), { class: 'delivered', providerId: 'SM1' })
  t.same(Object.fromEntries(new URLSearchParams(target.requests[0]?.body)), {
    To: '+4930901820',
    From: '+15005550006',
    Body: 'Down',
    StatusCallback: `${baseUrl}/api/v1/hooks/sms-status/n1`,
    ValidityPeriod: '14400',
  })
})

t.test('a second attempt finds the message of the first one', async (t) => {
  const { target, sender } = await account(t)
  target.respond(({ method }) => {
    const messages = [
      { sid: 'SM8', body: 'Down', status: 'failed' },
      { sid: 'SM9', body: 'Down', status: 'sent' },
    ]
    const body = JSON.stringify(method === 'POST' ? { sid: 'SM10' } : { messages })
    return { status: 200, headers: { 'content-type': 'application/json' }, body }
  })
  const sendResult = await sender.send(messageTo(channel, { attempt: 2 }))
  t.match(sendResult, { class: 'delivered', providerId: 'SM9' })
  t.same(
    target.requests.map(({ method }) => method),
    ['GET'],
  )
})

t.test('each code has its result', async (t) => {
  const cases: [code: number, expected: object][] = [
    [21610, { class: 'gone', suppressionReason: 'sms_stop' }],
    [21211, { class: 'gone', suppressionReason: 'invalid_number' }],
    [21614, { class: 'gone', suppressionReason: 'invalid_number' }],
    [30005, { class: 'gone', suppressionReason: 'invalid_number' }],
    [30006, { class: 'gone', suppressionReason: 'invalid_number' }],
    [30003, { class: 'mail', soft: 'unreachable' }],
    [20003, { class: 'transport', outcome: 'auth_failed' }],
    [21408, { class: 'transport', outcome: 'auth_failed' }],
    [30007, { class: 'transport', outcome: 'auth_failed' }],
    [30034, { class: 'transport', outcome: 'auth_failed' }],
    [20429, { class: 'transport', outcome: 'rate_limited' }],
    [21611, { class: 'mail', outcome: 'rate_limited' }],
    [30001, { class: 'mail', outcome: 'rate_limited' }],
    [21602, { class: 'event', outcome: 'rejected' }],
  ]
  for (const [code, expected] of cases) {
    t.match(smsResultOfCode(code, 400), { ...expected, detail: String(code) }, String(code))
  }
})

t.test('without a channel there is no transport', async (t) => {
  const { sender } = await account(t)
  t.equal(sender.hasTransport(null), false)
  t.equal(sender.hasTransport(channel), true)
})
