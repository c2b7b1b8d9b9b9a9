/** SMTP rejections of the transport, of the sender or of one recipient are handled differently. */
import { incidentOperations, subscriberOperations } from '@status-page/contracts'
import { eventually, smtpSink } from '@status-page/testing'
import t from 'tap'
import { assertIdle } from '../kit/delivery-ledger.ts'
import { register } from '../kit/tenant.ts'
import { advanceTime } from '../kit/time.ts'
import { errorLogsOf, startWorld } from '../kit/world.ts'

const TOLD_WITHIN_MS = 90_000
/** Longer than the first pause of a transport with its jitter, shorter than the second. */
const FIRST_PAUSE_SECONDS = 75
const SECOND_PAUSE_SECONDS = 360
const ROUNDS = 10
const ROUND_MS = 8_000
const LONGEST_PAUSE_SECONDS = 10 * 60 * 60

/** Replies of the server instead of success. */
let greeting: string | null = null
let isLoginRefused = true
const refusals = new Map<string, string>()

const server = await smtpSink(t, {
  replies: {
    connect: () => greeting,
    auth: () => (isLoginRefused ? '535 5.7.8 Authentication credentials invalid' : null),
    rcpt: (to) => refusals.get(to) ?? null,
  },
})
const SMTP_URL = server.url.replace('//', '//user:secret@')
const world = await startWorld(t, {
  settings: { notifier: { SMTP_URL } },
  hasShortIntervals: true,
})
const { api } = await register(world.api, 'mail-faults')

const subscribe = (name: string) =>
  api.call(subscriberOperations.create, {
    body: { type: 'email', email: `${name}@readers.test`, events: ['incident.created'] },
  })
const readers = {
  well: await subscribe('well'),
  later: await subscribe('later'),
  unknown: await subscribe('unknown'),
  refused: await subscribe('refused'),
  full: await subscribe('full'),
}
type Reader = keyof typeof readers

const addressOf = (reader: Reader) => `${reader}@readers.test`
const arrived = (reader: Reader) =>
  server.mails.filter(({ to }) => to.includes(addressOf(reader))).length
/** Excludes the verification mail to the owner of the account. */
const mailsToReaders = () => server.mails.filter(({ to }) => to[0]?.endsWith('@readers.test'))
const statusOf = async (reader: Reader) => {
  const { id } = readers[reader]
  const { status, statusReason } = await api.call(subscriberOperations.read, { params: { id } })
  return [status, statusReason]
}
const open = (title: string) => api.call(incidentOperations.create, { body: { title } })

/** Latest delivery to the reader. */
const deliveryOf = async (reader: Reader) => {
  const [row] = await world.admin`
    SELECT d.state, d.reason, d.attempts FROM notifier.deliveries d
    JOIN notifier.destinations e ON e.id = d.destination_id
    WHERE e.subscriber_id = ${readers[reader].id} ORDER BY d.created_at DESC LIMIT 1`
  return row
}
const transport = async () => {
  const [row] = await world.admin`
    SELECT reason, blocked_until > now() AS blocked FROM notifier.transports WHERE name = 'smtp'`
  return row
}
const isAfter = (work: () => Promise<boolean> | boolean) =>
  eventually(work, { timeoutMs: TOLD_WITHIN_MS })

/**
 * Advances the time until all mails have arrived. Sends that were in progress when the server was
 * repaired may have failed once more; their deliveries wait for another retry.
 */
const sendAfterPauses = async (count: number) => {
  for (let round = 0; round < ROUNDS && mailsToReaders().length < count; round++) {
    await advanceTime(world, SECOND_PAUSE_SECONDS)
    await eventually(() => mailsToReaders().length === count, { timeoutMs: ROUND_MS }).catch(
      () => {},
    )
  }
}

t.test(
  '535: the transport is paused with an alarm, and all mail is sent after the repair',
  async (t) => {
    await open('While logins fail')
    await isAfter(async () => (await transport())?.reason === 'channel_auth')
    t.same(await transport(), { reason: 'channel_auth', blocked: true })
    t.match(errorLogsOf(world).join('\n'), '"alarm":"channel_auth"')
    t.equal(server.mails.length, 0)
    isLoginRefused = false
    await advanceTime(world, LONGEST_PAUSE_SECONDS)
    await sendAfterPauses(5)
    t.equal(mailsToReaders().length, 5)
    await isAfter(async () => (await transport())?.reason === null)
    t.same(new Set(mailsToReaders().map(({ to }) => to[0])).size, 5, 'one mail per reader')
  },
)

t.test('421 as greeting: all mail waits, and no recipient is quarantined', async (t) => {
  greeting = '421 4.3.2 Try again later'
  server.hangUp()
  await open('While the server is closing')
  await isAfter(async () => (await transport())?.reason === 'channel_blocked')
  greeting = null
  await sendAfterPauses(10)
  t.equal(mailsToReaders().length, 10)
  for (const reader of Object.keys(readers) as Reader[]) {
    t.same(await statusOf(reader), ['active', null], reader)
    t.equal(arrived(reader), 2, reader)
  }
})

t.test(
  'each recipient is handled according to the reply, and others receive their mail at once',
  async (t) => {
    refusals.set(addressOf('later'), '451 4.3.0 Greylisted')
    refusals.set(addressOf('unknown'), '550 5.1.1 No such user')
    refusals.set(addressOf('refused'), '550 5.7.1 Message rejected as spam')
    refusals.set(addressOf('full'), '552 5.2.2 Mailbox full')
    await open('With four kinds of rejections')
    await isAfter(() => arrived('well') === 3)
    for (const reader of ['later', 'refused', 'full'] as const) {
      await isAfter(async () => (await deliveryOf(reader))?.reason === 'retry')
      t.match(await deliveryOf(reader), { state: 'pending' }, reader)
      t.same(await statusOf(reader), ['active', null], reader)
    }
    await isAfter(async () => (await statusOf('unknown'))[0] === 'quarantined')
    t.same(await statusOf('unknown'), ['quarantined', 'hard_bounce'])
    t.match(await deliveryOf('unknown'), { state: 'suppressed', reason: 'bad_address' })
    const alarms = errorLogsOf(world).join('\n')
    t.match(alarms, '"alarm":"mail_policy"', 'a rejection of the content raises an alarm')

    refusals.delete(addressOf('later'))
    refusals.delete(addressOf('refused'))
    await advanceTime(world, FIRST_PAUSE_SECONDS)
    await isAfter(() => arrived('later') === 3 && arrived('refused') === 3)
    t.equal(arrived('full'), 2)
  },
)

t.test('a mailbox that is full for three events is suppressed, and not before', async (t) => {
  await open('Second incident for the full mailbox')
  await isAfter(() => arrived('well') === 4)
  await isAfter(async () => (await deliveryOf('full'))?.reason === 'retry')
  t.same(await statusOf('full'), ['active', null])
  await open('Third incident for the full mailbox')
  await isAfter(async () => (await statusOf('full'))[0] === 'quarantined')
  t.same(await statusOf('full'), ['quarantined', 'mailbox_full'])
})

t.test('finally no delivery is pending, and each message has arrived once', async (t) => {
  await assertIdle(t, world)
  const ids = server.mails.map(({ headers }) => headers['message-id'])
  t.equal(new Set(ids).size, ids.length)
  t.same((['well', 'later', 'refused', 'unknown', 'full'] as const).map(arrived), [5, 5, 5, 2, 2])
})
