/**
 * Confirmation requests are sent immediately, outside all limits, to addresses that are not
 * subscribed.
 */
import {
  type ConfirmationRequested,
  draftEvent,
  type EventDraft,
  type SubscriberEventData,
  subscriberConfirmationRequested,
  subscriberDeleted,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { verifyStandard } from '@status-page/secrets'
import { httpTarget } from '@status-page/testing'
import t from 'tap'
import {
  changed,
  created,
  generous,
  hook,
  incident,
  opened,
  seals,
  stage,
  subscriber,
} from '../deliveries/stage.fixture.ts'

const HOUR_MS = 3_600_000

const confirmationRequested = (
  organizationId: string,
  fact: SubscriberEventData,
  change: Partial<ConfirmationRequested> = {},
): EventDraft => {
  const id = newId()
  const context = { organizationId, purpose: 'mail-token', recordId: id } as const
  return draftEvent(
    subscriberConfirmationRequested,
    { id, version: 1 },
    {
      purpose: 'confirm',
      subscriber: fact,
      subscriberVersion: 1,
      pageName: 'Acme <b>',
      sealedToken: seals.seal('question-token', context),
      webhookSecret: null,
      expiresAt: new Date(Date.now() + HOUR_MS).toISOString(),
      ...change,
    },
  )
}

const reader = (change: Partial<SubscriberEventData> = {}) =>
  subscriber({ type: 'email', email: 'reader@example.com', status: 'unconfirmed', ...change })

t.test('an unconfirmed subscriber gets one confirmation request and nothing else', async (t) => {
  const { publish, deliver, smtp, organizationId } = await stage(t)
  const one = reader()
  await publish(created(one), confirmationRequested(organizationId, one), opened(incident()))
  await deliver()
  await deliver()
  t.equal(smtp.mails.length, 1)
  const [mail] = smtp.mails
  t.same(mail?.to, ['reader@example.com'])
  t.match(mail?.raw, /Subject: Confirm your subscription to Acme/)
  const text = mail?.raw.replaceAll(/=\r?\n/g, '')
  t.match(text, /https:\/\/status\.example\.com\/subscriptions\/confirm\/question-token/)
  t.match(mail?.raw, /&lt;b&gt;/, 'names are text')
  t.notMatch(mail?.headers, { 'list-unsubscribe': /./ })
})

t.test('a confirmation request does not wait for the copy of its subscriber', async (t) => {
  const { publish, deliver, smtp, organizationId } = await stage(t)
  await publish(confirmationRequested(organizationId, reader()))
  await deliver()
  t.equal(smtp.mails.length, 1)
})

t.test('a manage link reaches an existing subscriber despite a backlog', async (t) => {
  const limits = { ...generous, perSubscriber: 1, global: 1 }
  const { publish, deliver, smtp, organizationId } = await stage(t, limits)
  const one = reader({ status: 'active' })
  const manage = { purpose: 'manage' } as const
  await publish(created(one), opened(incident()), opened(incident()))
  await publish(
    confirmationRequested(organizationId, one, manage),
    confirmationRequested(organizationId, one, manage),
  )
  await deliver()
  const links = smtp.mails.filter(({ raw }) => raw.includes('/subscriptions/question-token'))
  t.equal(links.length, 2)
  t.equal(smtp.mails.length - links.length, 1)
})

t.test(
  'an unsubscribed address gets a new request, but not after a deletion or the expiry',
  async (t) => {
    const { publish, deliver, runUpkeep, smtp, rows, organizationId } = await stage(t)
    const [gone, late, left] = [reader(), reader(), reader({ status: 'unsubscribed' })]
    await publish(created(gone), confirmationRequested(organizationId, gone))
    await publish(draftEvent(subscriberDeleted, { id: gone.id, version: 2 }, { subscriber: gone }))
    await publish(
      confirmationRequested(organizationId, late, { expiresAt: '2026-01-01T00:00:00.000Z' }),
    )
    await publish(created(left), confirmationRequested(organizationId, left))
    await deliver()
    await runUpkeep()
    t.equal(smtp.mails.length, 1)
    t.same((await rows()).map(({ state, reason }) => reason ?? state).sort(), [
      'deleted',
      'delivered',
      'expired',
    ])
  },
)

t.test(
  'a webhook gets its request by a signed POST, and the token is stored encrypted',
  async (t) => {
    const { publish, deliver, rows, admin, skipWait, organizationId } = await stage(t)
    const target = await httpTarget(t, [{ status: 500 }, { status: 200 }])
    const one = hook(target, { status: 'unconfirmed' })
    const secret = 'whsec-of-the-asker'
    const context = { organizationId, purpose: 'webhook', recordId: one.id } as const
    await publish(
      created(one),
      confirmationRequested(organizationId, one, { webhookSecret: seals.seal(secret, context) }),
    )
    await deliver()
    await skipWait()
    await deliver()
    t.match(await rows(), [{ state: 'delivered', attempts: 2, body: null }])
    const [first, second] = target.requests
    t.equal(first?.body, second?.body)
    t.same(JSON.parse(first?.body ?? ''), {
      type: 'subscription.verification',
      token: 'question-token',
      confirmUrl: 'https://status.example.com/api/v1/public/subscriptions/confirm',
    })
    const { headers = {}, body = '' } = second ?? {}
    t.ok(isSignedBy(secret, headers, body))
    const stored = await admin`SELECT payload::text FROM notifier.fanouts`
    t.notMatch(JSON.stringify(stored), /question-token|whsec/)
  },
)

t.test('during a rotation the previous secret signs too, but not afterwards', async (t) => {
  const { publish, deliver, organizationId } = await stage(t)
  const target = await httpTarget(t)
  const one = hook(target)
  const context = { organizationId, purpose: 'webhook', recordId: one.id } as const
  const until = (ms: number) => ({
    webhookSecret: seals.seal('the-new-secret-one', context),
    previousWebhookSecret: {
      sealed: seals.seal('the-old-secret-one', context),
      until: new Date(Date.now() + ms).toISOString(),
    },
  })
  await publish(created({ ...one, ...until(HOUR_MS) }), opened(incident()))
  await deliver()
  await publish(changed({ ...one, ...until(-HOUR_MS) }, 2), opened(incident()))
  await deliver()
  const [during, after] = target.requests
  for (const request of [during, after]) {
    t.ok(isSignedBy('the-new-secret-one', request?.headers ?? {}, request?.body ?? ''))
  }
  t.ok(isSignedBy('the-old-secret-one', during?.headers ?? {}, during?.body ?? ''))
  t.notOk(isSignedBy('the-old-secret-one', after?.headers ?? {}, after?.body ?? ''))
})

const isSignedBy = (
  secret: string,
  headers: Record<string, string | string[] | undefined>,
  body: string,
) =>
  verifyStandard({
    secrets: [secret],
    body: Buffer.from(body),
    headers: {
      id: String(headers['webhook-id']),
      timestamp: String(headers['webhook-timestamp']),
      signature: String(headers['webhook-signature']),
    },
    now: new Date(),
  })

t.test(
  'core receives notification times once, without those of confirmation requests',
  async (t) => {
    const { publish, deliver, summarise, admin, organizationId } = await stage(t)
    const notified = reader({ status: 'active' })
    const unconfirmed = reader({ email: 'asked@example.com' })
    await publish(
      created(notified),
      created(unconfirmed),
      confirmationRequested(organizationId, unconfirmed),
      opened(incident()),
    )
    await deliver()
    await summarise()
    await summarise()
    const events = await admin`
    SELECT payload FROM notifier.outbox WHERE kind = 'delivery.summarised'`
    t.match(events, [{ payload: { subscribers: [{ id: notified.id, lastNotifiedAt: /Z$/ }] } }])
    t.equal(events[0]?.payload.subscribers.length, 1)
    t.equal(events.length, 1)
  },
)

t.test('a subscriber reactivated from quarantine starts without a failure history', async (t) => {
  const { publish, deliver, skipWait, admin } = await stage(t)
  const target = await httpTarget(t, { status: 500 })
  const one = hook(target)
  await publish(created(one), opened(incident()))
  await deliver()
  await skipWait()
  const standing = () => admin`
    SELECT state, fail_streak, first_fail_at FROM notifier.destinations`
  t.match(await standing(), [{ state: 'active', fail_streak: 1 }])
  await publish(changed({ ...one, status: 'quarantined' }, 2))
  await deliver()
  await publish(changed(one, 3))
  await deliver()
  t.match(await standing(), [{ state: 'active', fail_streak: 0, first_fail_at: null }])
})
