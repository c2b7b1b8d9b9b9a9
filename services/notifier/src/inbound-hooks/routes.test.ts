/** Provider reports are verified, processed once, and applied. */
import { draftEvent, statusPageCreated, subscriberCreated } from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { httpTarget, testDatabase } from '@status-page/testing'
import t, { type Test } from 'tap'
import { created, incident, opened, subscriber } from '../deliveries/stage.fixture.ts'
import { channelStage } from '../notification-channels/channels.fixture.ts'
import { isLaterStatus, subscriptionRequestOf } from './rules.ts'
import { signForm } from './signature.ts'

// Holds the shared database server for the whole file; the last release stops it.
await testDatabase(t, { services: [] })

const authToken = 'swordfish'
const phone = '+4930901820'

const smsStage = async (t: Test) => {
  const target = await httpTarget(t)
  let sent = 0
  target.respond(({ method }) => ({
    status: method === 'POST' ? 201 : 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(method === 'POST' ? { sid: `SM${++sent}` } : { messages: [] }),
  }))
  const staged = await channelStage(t, undefined, undefined, { TWILIO_BASE_URL: target.url })
  const { body: channel } = await staged.create({
    name: 'SMS',
    type: 'sms',
    config: { accountSid: `AC${'0a'.repeat(16)}`, authToken, fromNumber: '+15005550006' },
  })
  const url = (hook: string) => `https://status.example.com/api/v1/hooks/${hook}/${channel.id}`
  const post = (name: 'sms' | 'smsStatus', fields: Record<string, string>) => {
    const form = new URLSearchParams(fields)
    const path = name === 'sms' ? 'sms' : 'sms-status'
    return staged.hook(name, channel.id, form.toString(), {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': signForm({ url: url(path), fields: form, authToken }),
    })
  }
  const facts = () => staged.admin<{ kind: string; data: { reason: string } }[]>`
    SELECT kind, payload AS data FROM notifier.outbox WHERE kind LIKE 'subscriber.%' ORDER BY seq`
  return { ...staged, target, channel, post, facts }
}

const reader = (change: object = {}) => subscriber({ type: 'sms', phone, ...change })

t.test('signatures are verified by the scheme of each provider', async (t) => {
  const fields = new URLSearchParams({
    CallSid: 'CA1234567890ABCDE',
    Caller: '+14158675309',
    Digits: '1234',
    From: '+14158675309',
    To: '+18005551212',
  })
  const url = 'https://mycompany.com/myapp.php?foo=1&bar=2'
  t.equal(signForm({ url, fields, authToken: '12345' }), 'RSOYDt4T1cUTdK1PDd93/VVr8B8=')
})

t.test(
  "the whole message is the request, and the carrier's classification takes precedence",
  async (t) => {
    for (const word of ['STOP', ' stop\n', 'StopAll', 'unsubscribe', 'CANCEL', 'end', 'quit']) {
      t.equal(subscriptionRequestOf(word, null), 'stop', word)
    }
    for (const word of ['optout', 'revoke', 'arret', 'Arrêt'])
      t.equal(subscriptionRequestOf(word, null), 'stop')
    for (const word of ['start', 'YES', 'unstop'])
      t.equal(subscriptionRequestOf(word, null), 'start', word)
    for (const word of ['HELP', ' info ']) t.equal(subscriptionRequestOf(word, null), 'help', word)
    for (const word of ['help me', 'please stop', 'stop it', '']) {
      t.equal(subscriptionRequestOf(word, null), 'other', word)
    }
    t.equal(subscriptionRequestOf('hello', 'STOP'), 'stop')
    t.equal(subscriptionRequestOf('STOP', 'HELP'), 'other')
    t.equal(subscriptionRequestOf('HELP', 'HELP'), 'other', 'the carrier answered it')
  },
)

t.test('reports never move a message back to an earlier state', async (t) => {
  t.ok(isLaterStatus('sent', 'queued'))
  t.notOk(isLaterStatus('queued', 'sent'))
  t.notOk(isLaterStatus('failed', 'delivered'))
  t.notOk(isLaterStatus('junk', 'accepted'))
})

t.test(
  'a text message to a subscriber is sent through the channel of the organization',
  async (t) => {
    const { publish, deliver, target, rows } = await smsStage(t)
    await publish(created(reader()), opened(incident()))
    await deliver()
    const form = new URLSearchParams(target.requests[0]?.body)
    t.equal(form.get('To'), phone)
    t.match(form.get('Body'), /^\[Status\] Investigating: API is down/)
    t.match(await rows(), [{ state: 'delivered' }])
  },
)

t.test('STOP stops all messages to the number, and START resumes them', async (t) => {
  const { publish, deliver, drain, target, post, facts, rows } = await smsStage(t)
  const one = reader()
  await publish(created(one))
  await drain()
  const answer = await post('sms', { MessageSid: 'SM9', From: phone, Body: 'Stop' })
  t.equal(answer.status, 200)
  t.equal(answer.body, '<Response/>')
  t.match(await facts(), [{ kind: 'subscriber.unsubscribed', data: { reason: 'sms_stop' } }])
  const other = reader()
  await publish(created(other), opened(incident()))
  await deliver()
  t.equal(target.requests.length, 0, 'also for a subscriber added since')
  t.match(await rows(), [{ state: 'cancelled', reason: 'unsubscribed' }])
  await post('sms', { MessageSid: 'SM10', From: phone, Body: 'START' })
  await publish(opened(incident()))
  await deliver()
  t.equal(target.requests.length, 1)
})

t.test('START requests core once to resubscribe those who stopped', async (t) => {
  const { publish, drain, post, facts } = await smsStage(t)
  const [one, elsewhere] = [reader(), reader({ phone: '+4930901821' })]
  await publish(created(one), created(elsewhere))
  await drain()
  await post('sms', { MessageSid: 'SM9', From: phone, Body: 'STOP' })
  const start = { MessageSid: 'SM10', From: phone, Body: 'start' }
  for (let turn = 0; turn < 2; turn++) t.equal((await post('sms', start)).body, '<Response/>')
  t.match(await facts(), [
    { kind: 'subscriber.unsubscribed', data: { subscriberId: one.id, reason: 'sms_stop' } },
    { kind: 'subscriber.resubscribed', data: { subscriberId: one.id, at: /Z$/ } },
  ])
  t.equal((await facts()).length, 2)
  await post('sms', { MessageSid: 'SM11', From: '+4930901821', Body: 'YES' })
  t.equal((await facts()).length, 2, 'no opt-out existed')
})

t.test('HELP is answered in the language of the page unless the carrier answered it', async (t) => {
  const { publish, drain, post, facts } = await smsStage(t)
  const statusPage = { id: newId(), name: 'Seite', slug: 'seite', isPublished: true, url: 'x' }
  const page = { statusPage: { ...statusPage, locale: 'de' as const } }
  await publish(
    draftEvent(statusPageCreated, { id: statusPage.id, version: 1 }, page),
    created(reader({ statusPageId: statusPage.id })),
  )
  await drain()
  const help = (fields: Record<string, string>) => post('sms', { From: phone, ...fields })
  const { body } = await help({ MessageSid: 'SM1', Body: 'Help' })
  t.match(
    body,
    /^<Response><Message>Status: Statusmeldungen\. Antworten Sie STOP.*<\/Message><\/Response>$/,
  )
  const defaultChannels = await help({ MessageSid: 'SM2', Body: 'HELP', OptOutType: 'HELP' })
  t.equal(defaultChannels.body, '<Response/>')
  t.same(await facts(), [])
})

t.test('a reply is processed once', async (t) => {
  const { publish, drain, post, facts, admin } = await smsStage(t)
  await publish(created(reader()))
  await drain()
  const reply = { MessageSid: 'SM9', From: phone, Body: 'STOP' }
  await Promise.all(Array.from({ length: 5 }, () => post('sms', reply)))
  t.equal((await facts()).length, 1)
  await post('sms', { MessageSid: 'SM10', From: phone, Body: 'START' })
  t.equal((await post('sms', reply)).status, 200)
  t.same(
    await admin`SELECT * FROM notifier.sms_opt_outs`,
    [],
    'a repeated delivery does not opt out again',
  )
})

t.test(
  'a report of an invalid number suppresses the subscriber in any order of reports',
  async (t) => {
    const { publish, deliver, post, facts } = await smsStage(t)
    await publish(created(reader()), opened(incident()))
    await deliver()
    await post('smsStatus', { MessageSid: 'SM1', MessageStatus: 'undelivered', ErrorCode: '30005' })
    await post('smsStatus', { MessageSid: 'SM1', MessageStatus: 'sent' })
    t.match(await facts(), [{ kind: 'subscriber.quarantined', data: { reason: 'invalid_number' } }])
  },
)

t.test('an unreachable phone is suppressed after three messages', async (t) => {
  const { publish, deliver, post, facts } = await smsStage(t)
  await publish(created(reader()))
  for (const sid of ['SM1', 'SM2', 'SM3']) {
    await publish(opened(incident()))
    await deliver()
    t.same(await facts(), [], sid)
    await post('smsStatus', { MessageSid: sid, MessageStatus: 'failed', ErrorCode: '30003' })
  }
  t.match(await facts(), [{ data: { reason: 'unreachable' } }])
})

t.test('a report of an account error pauses the channel', async (t) => {
  const { publish, deliver, post, read, channel, update } = await smsStage(t)
  await publish(created(reader()), opened(incident()))
  await deliver()
  await post('smsStatus', { MessageSid: 'SM1', MessageStatus: 'undelivered', ErrorCode: '30007' })
  t.equal((await read(channel.id)).body.status, 'paused')
  t.equal((await update(channel.id, { isEnabled: true })).body.status, 'active')
})

t.test('an unknown channel and an invalid signature get the same 401', async (t) => {
  const { hook, channel, create } = await smsStage(t)
  const slack = await create({
    name: 'Chat',
    type: 'slack',
    config: { webhookUrl: 'http://127.0.0.1:9/x' },
  })
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const signed = { ...form, 'x-twilio-signature': 'bm90IGl0' }
  const answers = [
    await hook('sms', channel.id, 'MessageSid=SM1', signed),
    await hook('sms', channel.id, 'MessageSid=SM1', form),
    await hook('sms', newId(), 'MessageSid=SM1', signed),
    await hook('sms', 'no-id', 'MessageSid=SM1', signed),
    await hook('smsStatus', slack.body.id, 'MessageSid=SM1', signed),
    await hook('bounce', channel.id, '{}', { 'x-hook-token': 'x' }),
    await hook('bounce', newId(), 'not even JSON', { 'x-hook-token': 'x' }),
  ]
  for (const { status, body } of answers) {
    t.equal(status, 401)
    t.same(body, answers[0]?.body)
  }
})

t.test("a bounce is accepted only with the channel's secret", async (t) => {
  const { create, hook, publish, drain, admin } = await channelStage(t)
  const bounceSecret = 'sixteen-characters'
  const { body } = await create({
    name: 'Mail',
    type: 'email',
    config: {
      smtpHost: '127.0.0.1',
      smtpPort: 2525,
      fromAddress: 'a@example.com',
      bounceSecret,
    },
  })
  const gone = subscriber({ type: 'email', email: 'gone@example.com' })
  const full = subscriber({ type: 'email', email: 'full@example.com' })
  await publish(
    draftEvent(subscriberCreated, { id: gone.id, version: 1 }, { subscriber: gone }),
    draftEvent(subscriberCreated, { id: full.id, version: 1 }, { subscriber: full }),
  )
  await drain()
  const headers = { 'x-hook-token': bounceSecret }
  const report = (type: string, email: string) =>
    hook('bounce', body.id, JSON.stringify({ type, email }), headers)
  const wrong = { 'x-hook-token': `${bounceSecret}x` }
  t.equal((await hook('bounce', body.id, '{}', wrong)).status, 401)
  t.equal((await hook('bounce', body.id, '{}', headers)).status, 400)
  t.equal((await report('hard', 'Gone@Example.com')).status, 202)
  for (let turn = 0; turn < 2; turn++) await report('soft', 'full@example.com')
  const ended = () => admin<{ address: string; reason: string }[]>`
    SELECT address, state_reason AS reason FROM notifier.destinations
    WHERE state = 'quarantined' ORDER BY updated_at`
  t.same(await ended(), [{ address: 'gone@example.com', reason: 'hard_bounce' }])
  await report('soft', 'full@example.com')
  t.match(await ended(), [{}, { address: 'full@example.com', reason: 'mailbox_full' }])
  await report('complaint', 'gone@example.com')
  await report('hard', 'gone@example.com')
  t.match(await ended(), [{}, { address: 'gone@example.com', reason: 'complaint' }])
})
