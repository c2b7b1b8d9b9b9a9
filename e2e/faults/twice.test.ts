/**
 * Repeated messages and callbacks, with two notifiers: each has one effect and never reverts a
 * later state.
 */
import { createHmac } from 'node:crypto'
import { notificationChannelOperations, subscriberOperations } from '@status-page/contracts'
import { eventually, httpTarget } from '@status-page/testing'
import { connect } from 'nats'
import t from 'tap'
import { assertDelivered, assertIdle } from '../kit/delivery-ledger.ts'
import { createScenario } from '../kit/tenant.ts'
import { startWorld } from '../kit/world.ts'

const TOLD_WITHIN_MS = 90_000
const TIMES = 5
const AUTH_TOKEN = 'a-token-of-the-provider'
const PHONE = '+4930901821'

let messages = 0
const provider = await httpTarget(t, ({ method }) => ({
  status: method === 'POST' ? 201 : 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(
    method === 'POST' ? { sid: `SM-twice-${++messages}`, status: 'queued' } : { messages: [] },
  ),
}))
const world = await startWorld(t, {
  settings: { notifier: { TWILIO_BASE_URL: provider.url } },
  hasShortIntervals: true,
})
const { admin, stack } = world
const scenario = await createScenario(t, world, { name: 'twice' })
const replica = await stack.replicate('notifier')
t.teardown(() => replica.stop())
const replicas = [stack.processes.notifier, replica]
const { api } = scenario.tenant
const channel = await api.call(notificationChannelOperations.create, {
  body: {
    name: 'Phones',
    type: 'sms',
    config: {
      accountSid: `AC${'0b'.repeat(16)}`,
      authToken: AUTH_TOKEN,
      fromNumber: '+15005550006',
    },
  },
})
const reader = await api.call(subscriberOperations.create, { body: { type: 'sms', phone: PHONE } })
const isAfter = (work: () => Promise<boolean> | boolean) =>
  eventually(work, { timeoutMs: TOLD_WITHIN_MS })

const { nats } = stack
if (nats === null) throw new Error('These tests need a nats-server')

/** Reads the state of the incident consumer with the NATS permissions of the notifier. */
const connectNats = async () => {
  const url = new URL(nats.urlOf('notifier'))
  const connection = await connect({
    servers: url.host,
    user: url.username,
    pass: url.password,
    inboxPrefix: '_INBOX_notifier',
  })
  t.teardown(() => connection.close())
  const manager = await connection.jetstreamManager({ checkAPI: false })
  return async () => {
    const findIncident = await manager.consumers.info('EVENTS', 'notifier-deliveries-incident-v1')
    const { delivered, num_ack_pending: open } = findIncident
    return { brought: delivered.consumer_seq, open }
  }
}
const incidentsByNats = await connectNats()

const isBypassing = async ({ origin }: { origin: string }): Promise<boolean> => {
  const metrics = await (await fetch(`${origin}/metrics`)).text()
  return !/^bus_bypass 0$/m.test(metrics)
}

/** Sends a callback as the provider does, signed over the URL and the fields. */
const sendCallback = async (hook: 'sms' | 'sms-status', fields: Record<string, string>) => {
  const url = `${stack.baseUrl}/api/v1/hooks/${hook}/${channel.id}`
  const form = new URLSearchParams(fields)
  const signature = createHmac('sha1', AUTH_TOKEN)
    .update(url + [...form].sort().flat().join(''))
    .digest('base64')
  const headers = { 'x-twilio-signature': signature }
  const response = await fetch(url, { method: 'POST', body: form, headers })
  if (response.status !== 200) throw new Error(`${hook} responded with ${response.status}`)
}

const factsAbout = async (id: string): Promise<string[]> => {
  const rows = await admin<{ kind: string }[]>`
    SELECT kind FROM notifier.outbox WHERE payload->>'subscriberId' = ${id} ORDER BY seq`
  return rows.map(({ kind }) => kind)
}

t.test('two notifiers share the work, and each event is notified once', async (t) => {
  const { brought } = await incidentsByNats()
  const titles = ['One', 'Two', 'Three', 'Four', 'Five', 'Six']
  for (const title of titles) await scenario.open(title)
  await t.resolves(scenario.allDelivered(TOLD_WITHIN_MS))
  const isAllBrought = async () => (await incidentsByNats()).brought >= brought + titles.length
  await t.resolves(isAfter(isAllBrought), 'events arrive by NATS')
  t.same(
    await Promise.all(replicas.map(isBypassing)),
    [false, false],
    'no event arrives by the bypass',
  )
})

t.test('NATS delivers a message several times: the receipt prevents a repetition', async (t) => {
  const incident = await scenario.open('Repeated')
  await t.resolves(scenario.allDelivered(TOLD_WITHIN_MS))
  const { brought } = await incidentsByNats()
  const publishCount = async (): Promise<number> => {
    const [row] =
      await admin`SELECT publish_count FROM core.outbox WHERE aggregate_id = ${incident.id}`
    return row?.publish_count
  }
  const lastCount = (await publishCount()) + TIMES
  await isAfter(async () => {
    if ((await publishCount()) >= lastCount) return true
    // Again after a publication, and where core settled the event before it was published.
    await admin`
      UPDATE core.outbox SET published_at = NULL, settled_at = NULL
      WHERE aggregate_id = ${incident.id} AND (published_at IS NOT NULL OR settled_at IS NOT NULL)`
    await admin`SELECT pg_notify('outbox_new', 'core')`
    return false
  })
  await isAfter(async () => {
    const now = await incidentsByNats()
    return now.brought >= brought + TIMES && now.open === 0
  })
  t.notOk(await isBypassing(stack.processes.notifier))
  const rows = await admin`
    SELECT destination_id, count(*)::int AS count FROM notifier.deliveries
    WHERE ordering_key = ${incident.id} GROUP BY destination_id`
  t.same(
    rows.map(({ count }) => count),
    [1, 1, 1],
    'e-mail, webhook and SMS, one delivery each',
  )
})

t.test(
  'three concurrent STOPs and reports in any order have one effect, and no state is reverted',
  async (t) => {
    await isAfter(async () => {
      const [row] = await admin`
        SELECT count(*)::int AS sent FROM notifier.sms_messages
        WHERE message_sid = 'SM-twice-1'`
      return row?.sent > 0
    })
    const report = (MessageStatus: string) =>
      sendCallback('sms-status', { MessageSid: 'SM-twice-1', MessageStatus })
    await Promise.all(['sent', 'delivered', 'queued', 'sent', 'delivered', 'sending'].map(report))
    await report('queued')
    const [message] = await admin`
    SELECT provider_status FROM notifier.sms_messages WHERE message_sid = 'SM-twice-1'`
    t.equal(message?.provider_status, 'delivered')

    const stop = { MessageSid: 'SM-stop', From: PHONE, Body: 'STOP' }
    await Promise.all([stop, stop, stop].map((one) => sendCallback('sms', one)))
    t.same(await factsAbout(reader.id), ['subscriber.unsubscribed'])
    const statusIs = (status: string) => async () => {
      const params = { id: reader.id }
      return (await api.call(subscriberOperations.read, { params })).status === status
    }
    await isAfter(statusIs('unsubscribed'))
    const start = { MessageSid: 'SM-start', From: PHONE, Body: 'START' }
    await Promise.all([start, start, start].map((one) => sendCallback('sms', one)))
    await isAfter(statusIs('active'))
    await sendCallback('sms', stop)
    t.same(await factsAbout(reader.id), ['subscriber.unsubscribed', 'subscriber.resubscribed'])
  },
)

t.test('finally every subscriber has received every message once', async (t) => {
  await assertIdle(t, world)
  assertDelivered(t, scenario.expectedMessages, scenario.hook.received())
  assertDelivered(t, scenario.expectedMessages, scenario.mails())
  const sent = provider.requests.filter(({ method }) => method === 'POST')
  t.equal(sent.length, scenario.expectedMessages.length, 'one text message each')
})
