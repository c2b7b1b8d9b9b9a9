/**
 * Notification channels: an incident reaches chat, webhook and SMS, and a reply of STOP ends the
 * SMS.
 */
import { createHmac } from 'node:crypto'
import {
  incidentOperations,
  notificationChannelOperations,
  subscriberOperations,
} from '@status-page/contracts'
import { eventually, httpTarget } from '@status-page/testing'
import t from 'tap'
import { register } from './kit/tenant.ts'
import { errorLogsOf, startWorld } from './kit/world.ts'

const TOLD_WITHIN_MS = 20_000
const AUTH_TOKEN = 'a-token-of-the-provider'
const PHONE = '+4930901820'

const provider = await httpTarget(t, ({ method }) => ({
  status: method === 'POST' ? 201 : 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(method === 'POST' ? { sid: 'SM1', status: 'queued' } : { messages: [] }),
}))
const chat = await httpTarget(t, { body: 'ok' })
const program = await httpTarget(t)

const world = await startWorld(t, { settings: { notifier: { TWILIO_BASE_URL: provider.url } } })
const { api } = await register(world.api, 'channels')
const { create, read, test } = notificationChannelOperations
const slack = await api.call(create, {
  body: { name: 'Ops', type: 'slack', config: { webhookUrl: `${chat.url}/services/T/B/sealed` } },
})
await api.call(create, {
  body: {
    name: 'Tickets',
    type: 'webhook',
    events: ['incident.created'],
    config: {
      url: `${program.url}/tickets`,
      headers: { 'X-Key': 'sealed' },
      bodyTemplate: '{"title":"{{incident.title}}","kind":"{{event_type}}"}',
    },
  },
})
const sms = await api.call(create, {
  body: {
    name: 'Phones',
    type: 'sms',
    config: {
      accountSid: `AC${'0a'.repeat(16)}`,
      authToken: AUTH_TOKEN,
      fromNumber: '+15005550006',
    },
  },
})
const reader = await api.call(subscriberOperations.create, { body: { type: 'sms', phone: PHONE } })

t.test('a test message is sent at once', async (t) => {
  t.match(await api.call(test, { params: { id: slack.id } }), { success: true, error: null })
  t.equal(chat.requests.length, 1)
})

t.test('an incident reaches each channel in the format of the channel', async (t) => {
  await api.call(incidentOperations.create, {
    body: { title: 'Checkout "fails"', impact: 'major' },
  })
  await eventually(
    () => chat.requests.length > 1 && program.requests.length > 0 && provider.requests.length > 0,
    { timeoutMs: TOLD_WITHIN_MS },
  )
  t.match(JSON.parse(chat.requests[1]?.body ?? ''), { text: /Investigating: Checkout "fails"/ })
  t.equal(program.requests[0]?.headers['x-key'], 'sealed')
  t.same(JSON.parse(program.requests[0]?.body ?? ''), {
    title: 'Checkout "fails"',
    kind: 'incident.created',
  })
  t.equal(new URLSearchParams(provider.requests[0]?.body).get('To'), PHONE)
  await eventually(async () => {
    const { lastDeliveryStatus } = await api.call(read, { params: { id: sms.id } })
    return lastDeliveryStatus === null
  })
})

t.test('a reply of STOP ends the subscription, a forged one does not', async (t) => {
  const path = `/api/v1/hooks/sms/${sms.id}`
  const form = new URLSearchParams({ MessageSid: 'SM2', From: PHONE, Body: 'STOP' })
  const signed = [...form].sort().flat().join('')
  const signature = createHmac('sha1', AUTH_TOKEN)
    .update(`${world.stack.baseUrl}${path}${signed}`)
    .digest('base64')
  const send = (value: string) =>
    fetch(`${world.stack.baseUrl}${path}`, {
      method: 'POST',
      body: form,
      headers: { 'x-twilio-signature': value },
    })
  t.equal((await send('forged')).status, 401)
  const response = await send(signature)
  t.equal(response.status, 200)
  t.equal(await response.text(), '<Response/>')
  const ended = await eventually(
    async () => {
      const params = { id: reader.id }
      const now = await api.call(subscriberOperations.read, { params })
      return now.status === 'unsubscribed' && now
    },
    { timeoutMs: TOLD_WITHIN_MS },
  )
  t.equal(ended.statusReason, 'sms_stop')
})

t.test('no secret of a channel is stored in plain text', async (t) => {
  const tables = await world.admin<{ name: string }[]>`
    SELECT table_schema || '.' || table_name AS name FROM information_schema.tables
    WHERE table_schema IN ('notifier', 'gateway', 'core') AND table_type = 'BASE TABLE'`
  for (const { name } of tables) {
    const rows = await world.admin.unsafe(`SELECT to_jsonb(x)::text AS row FROM ${name} x`)
    const text = rows.map(({ row }) => row).join('\n')
    for (const secret of [AUTH_TOKEN, '/B/sealed', '"X-Key": "sealed"']) {
      t.notOk(text.includes(secret), `${secret} in ${name}`)
    }
  }
})

t.test('no service logged an error', async (t) => {
  t.same(errorLogsOf(world), [])
})
