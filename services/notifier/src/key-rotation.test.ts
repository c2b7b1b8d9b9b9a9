/**
 * After a key rotation, everything that the notifier stores can be decrypted by the new key alone.
 */
import {
  accountInvited,
  draftEvent,
  type EventDraft,
  subscriberConfirmationRequested,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { createSealer, type Sealer, type SealPurpose } from '@status-page/secrets'
import { testResources } from '@status-page/testing'
import t, { type Test } from 'tap'
import { buildApp } from './app.ts'
import { encryptedDestinations } from './audiences/key-rotation.ts'
import { config } from './config.ts'
import { changed, created, seals, subscriber } from './deliveries/stage.fixture.ts'
import { channelStage, slack } from './notification-channels/channels.fixture.ts'

const FORMER_KEY = 'k'.repeat(32)
const KEY = 'another key of exactly 32 bytes.'
const alone = createSealer({ current: KEY })
const rotating = createSealer({ current: KEY, previous: FORMER_KEY })

/** More rows than one batch holds. */
const MANY = 110

type Stage = Awaited<ReturnType<typeof channelStage>>

const soon = () => new Date(Date.now() + 3_600_000).toISOString()

/** A webhook subscriber with every optional secret. */
const receiver = (organizationId: string) => {
  const id = newId()
  const seal = (plain: string, purpose: SealPurpose) =>
    seals.seal(plain, { organizationId, purpose, recordId: id })
  return subscriber({
    id,
    webhookUrl: `https://example.com/${id}`,
    manageToken: seal('token', 'mail-token'),
    webhookSecret: seal('second', 'webhook'),
    previousWebhookSecret: { sealed: seal('first', 'webhook'), until: soon() },
  })
}

const questionTo = (organizationId: string, fact: ReturnType<typeof receiver>): EventDraft => {
  const id = newId()
  const context = { organizationId, purpose: 'mail-token', recordId: id } as const
  const { webhookSecret } = fact
  return draftEvent(
    subscriberConfirmationRequested,
    { id, version: 1 },
    {
      purpose: 'confirm',
      subscriber: fact,
      subscriberVersion: 1,
      pageName: null,
      sealedToken: seals.seal('question', context),
      webhookSecret,
      expiresAt: soon(),
    },
  )
}

const invitation = (organizationId: string): EventDraft => {
  const id = newId()
  const context = { organizationId, purpose: 'mail-token', recordId: id } as const
  return draftEvent(
    accountInvited,
    { id, version: 1 },
    {
      email: 'new@example.com',
      name: null,
      userId: null,
      organizationName: 'Acme',
      invitedBy: 'Ana',
      sealedToken: seals.seal('invited', context),
      expiresAt: soon(),
    },
  )
}

/** Stores encrypted data of each kind under the former key. */
const populate = async ({ organizationId, publish, publishAsGateway, drain, create }: Stage) => {
  const one = receiver(organizationId)
  const many = Array.from({ length: MANY }, () => receiver(organizationId))
  await publish(...[one, ...many].map(created), questionTo(organizationId, one))
  await publishAsGateway(invitation(organizationId))
  await drain()
  const url = 'http://127.0.0.1:9000/'
  const mail = { smtpHost: '127.0.0.1', smtpPort: 2525, fromAddress: 'a@example.com' }
  const secrets = { username: 'u', password: 'pass', bounceSecret: 'bounce-secret-of-24' }
  const headers = { Authorization: 'Bearer a', 'X-Key': 'b' }
  for (const body of [
    slack(`${url}hook`),
    { name: 'Hook', type: 'webhook', config: { url, headers } },
    { name: 'Mail', type: 'email', config: { ...mail, ...secrets } },
  ]) {
    const { status } = await create(body)
    if (status !== 201) throw new Error(`${body.name} was answered with ${status}`)
  }
  return one
}

interface Stored {
  record_id: string
  purpose: SealPurpose
  sealed: string
}

/** Every encrypted text of the notifier, with its context. */
const storedIn = ({ admin }: Stage) => admin<Stored[]>`
  SELECT subscriber_id::text AS record_id, 'webhook' AS purpose, unnest(
    array_remove(ARRAY[webhook_secret, previous_webhook_secret], NULL)) AS sealed
  FROM notifier.destinations
  UNION ALL SELECT subscriber_id::text, 'mail-token', manage_token
  FROM notifier.destinations WHERE manage_token IS NOT NULL
  UNION ALL SELECT aggregate_id::text, 'mail-token', payload ->> 'sealedToken'
  FROM notifier.fanouts WHERE payload ? 'sealedToken'
  UNION ALL SELECT payload #>> '{subscriber,id}', 'mail-token', payload #>> '{subscriber,manageToken}'
  FROM notifier.fanouts WHERE payload ? 'subscriber'
  UNION ALL SELECT payload #>> '{subscriber,id}', 'webhook', unnest(ARRAY[payload ->> 'webhookSecret',
    payload #>> '{subscriber,webhookSecret}', payload #>> '{subscriber,previousWebhookSecret,sealed}'])
  FROM notifier.fanouts WHERE payload ? 'subscriber'
  UNION ALL SELECT id::text, 'channel', secret #>> '{}' FROM notifier.notification_channels,
    jsonb_path_query(config, '$.**') secret WHERE secret #>> '{}' LIKE 'v1.%'`

const opened = async (stage: Stage, keys: Sealer) =>
  (await storedIn(stage))
    .map(({ record_id: recordId, purpose, sealed }) => {
      const { organizationId } = stage
      return `${purpose} ${recordId} ${keys.open(sealed, { organizationId, purpose, recordId })}`
    })
    .sort()

/** All stored data that is not encrypted. */
const restOf = async ({ admin }: Stage) => {
  const rows = await admin<{ text: string }[]>`
    SELECT d::text AS text FROM notifier.destinations d
    UNION ALL SELECT f::text FROM notifier.fanouts f
    UNION ALL SELECT c::text FROM notifier.notification_channels c
    UNION ALL SELECT seq::text FROM notifier.outbox`
  return rows.map(({ text }) => text.replaceAll(/v1\.[0-9a-f]{8}\.[\w-]+/g, 'sealed')).sort()
}

/** Runs the key rotation of the production app. */
const rotateKeyIn = async (t: Test, { notifier: database }: Stage) => {
  const app = buildApp(testResources({ service: 'notifier', database, config, sealer: rotating }))
  t.teardown(async () => {
    await app.http.close()
    for (const { stop } of app.background ?? []) await stop()
  })
  await app.jobs.find(({ name }) => name === 'key-rotation')?.run(new AbortController().signal)
}

t.test('every secret is encrypted with the new key, and nothing else changes', async (t) => {
  const stage = await channelStage(t)
  await populate(stage)
  const [plain, rest] = [await opened(stage, seals), await restOf(stage)]
  const all = plain.join('\n')
  for (const secret of ['first', 'second', 'token', 'question', 'invited', '/hook', 'Bearer a']) {
    t.ok(all.includes(secret), `${secret} is among them`)
  }
  for (const secret of ['pass', 'bounce-secret']) t.ok(all.includes(secret), secret)
  await rotateKeyIn(t, stage)
  t.same(await opened(stage, alone), plain)
  t.same(await restOf(stage), rest, 'no version, no time, no event')
  const once = [...(await storedIn(stage))]
  await rotateKeyIn(t, stage)
  t.same([...(await storedIn(stage))], once, 'rotated values are not rewritten')
})

t.test('texts of a lost key stay unchanged and block no others', async (t) => {
  const stage = await channelStage(t)
  const { id } = await populate(stage)
  const lost = createSealer({ current: 'x'.repeat(32) }).seal('lost', {
    organizationId: stage.organizationId,
    purpose: 'webhook',
    recordId: id,
  })
  await stage.admin`UPDATE notifier.destinations SET webhook_secret = ${lost}
    WHERE subscriber_id = ${id}`
  await rotateKeyIn(t, stage)
  const stale = (await storedIn(stage)).filter(({ sealed }) => alone.isStale(sealed))
  t.same(
    stale.map(({ sealed }) => sealed),
    [lost],
  )
})

t.test('a concurrent update by core is never overwritten', async (t) => {
  const stage = await channelStage(t)
  const { organizationId, notifier, publish, drain, admin } = stage
  const one = receiver(organizationId)
  await publish(created(one))
  await drain()
  const source = encryptedDestinations({ database: notifier, sealer: rotating })
  const [record] = await source.list(null, 1)
  t.equal(record?.texts.length, 3)
  const context = { organizationId, purpose: 'webhook', recordId: one.id } as const
  const webhookSecret = alone.seal('third', context)
  await publish(changed({ ...one, webhookSecret, previousWebhookSecret: null }, 2))
  await drain()
  for (const { sealed, context } of record?.texts ?? []) {
    const to = rotating.seal(rotating.open(sealed, context), context)
    await source.replace({ id: record?.id ?? '', from: sealed, to })
  }
  const [row] = await admin`SELECT webhook_secret, previous_webhook_secret, manage_token
    FROM notifier.destinations`
  t.equal(row?.webhook_secret, webhookSecret)
  t.equal(row?.previous_webhook_secret, null)
  t.equal(alone.open(row?.manage_token, { ...context, purpose: 'mail-token' }), 'token')
})
