/**
 * Key rotation: afterwards all stored secrets open with the new key alone, and no event is
 * published.
 */
import {
  componentOperations as components,
  statusPageOperations as pages,
  subscriberOperations as subscribers,
  subscriptionOperations as subscriptions,
} from '@status-page/contracts'
import { connect, newId } from '@status-page/postgres'
import { createSealer, type SealContext, type Sealer } from '@status-page/secrets'
import t, { type Test } from 'tap'
import { encryptedHeaders } from './components/key-rotation.ts'
import { coreKit, ENCRYPTION_KEY } from './core.fixture.ts'

const KEY = 'another key of exactly 32 bytes.'
/** More than one batch. */
const MANY = 120

const kit = await coreKit(t)
const alone = createSealer({ current: KEY })
const rotating = createSealer({ current: KEY, previous: ENCRYPTION_KEY })
const admin = await connect({ url: kit.adminUrl, service: 'core', max: 2 })
t.teardown(() => admin.close())

const receiver = (webhookSecret: string, path = newId()) => ({
  type: 'webhook',
  webhookUrl: `https://93.184.215.14/${path}`,
  webhookSecret,
})

/** Creates an organization with one record of each kind that has sealed values. */
const populated = async (t: Test) => {
  const { request, organizationId } = kit.as()
  const headers = { Authorization: 'Bearer a', 'X-Api-Key': 'b', Accept: 'v1.plain' }
  const url = 'https://93.184.215.14/'
  const created = await request(components.create, {
    body: { type: 'ENDPOINT', name: 'x', url, headers },
  })
  const hook = await request(subscribers.create, { body: receiver('the-first-secret') })
  const params = { id: hook.body.id }
  await request(subscribers.update, { params, body: { webhookSecret: 'the-second-secret' } })
  const slug = `p-${newId().slice(-12)}`
  await request(pages.create, {
    body: {
      name: 'x',
      slug,
      isPublished: true,
      allowWebhookSubscribers: true,
      password: 'the-page-password',
    },
  })
  const signedUp = await kit.request(subscriptions.subscribe, {
    params: { slug },
    body: receiver('a-third-secret-of-16'),
  })
  t.same([created.status, hook.status, signedUp.status], [201, 201, 202])
  return { request, organizationId, id: created.body.id as string }
}

interface Stored {
  organization_id: string
  record_id: string
  purpose: SealContext['purpose']
  sealed: string
}

/** All sealed values of core with the context that they are bound to. */
const stored = () => admin.batchSql<Stored[]>`
  SELECT organization_id, id || ':' || lower(header ->> 'name') AS record_id,
    'component-header' AS purpose, header ->> 'sealedValue' AS sealed
  FROM core.components, json_array_elements(endpoint -> 'headers') header
  WHERE header ->> 'sealedValue' IS NOT NULL
  UNION ALL SELECT organization_id, id::text, 'mail-token', manage_token FROM core.subscribers
  UNION ALL SELECT organization_id, id::text, 'webhook', unnest(
    array_remove(ARRAY[webhook_secret, previous_webhook_secret], NULL)) FROM core.subscribers
  UNION ALL SELECT organization_id, id::text, 'page-password', password_digest
  FROM core.status_pages WHERE password_digest IS NOT NULL
  UNION ALL SELECT organization_id, subscriber_id::text, 'webhook', webhook_secret
  FROM core.subscriber_confirmations WHERE webhook_secret IS NOT NULL`

const opened = async (keys: Sealer): Promise<string[]> =>
  (await stored())
    .map(({ organization_id: organizationId, record_id: recordId, purpose, sealed }) => {
      const plain = keys.open(sealed, { organizationId, purpose, recordId })
      return `${organizationId} ${purpose} ${recordId} ${plain}`
    })
    .sort()

/** All stored values that are not sealed. */
const rest = async () => {
  const rows = await admin.batchSql<{ text: string }[]>`
    SELECT c::text AS text FROM core.components c
    UNION ALL SELECT s::text FROM core.subscribers s
    UNION ALL SELECT q::text FROM core.subscriber_confirmations q
    UNION ALL SELECT seq::text FROM core.outbox`
  return rows.map(({ text }) => text.replaceAll(/v1\.[0-9a-f]{8}\.[\w-]+/g, 'sealed')).sort()
}

const rotateKey = async (keys: Sealer) => {
  const { jobs } = await kit.replica(keys)
  await jobs.find(({ name }) => name === 'key-rotation')?.run(new AbortController().signal)
}

t.test('every value is sealed again in place, and nothing else changes', async (t) => {
  const { request } = await populated(t)
  await populated(t)
  for (let index = 0; index < MANY; index++) {
    await request(subscribers.create, { body: receiver(`a-secret-of-number-${index}`) })
  }
  const [plain, others] = [await opened(kit.sealer), await rest()]
  for (const secret of ['Bearer a', ' b', 'the-first', 'the-second', 'a-third', 'number-119']) {
    t.ok(plain.join('\n').includes(secret), `${secret} is among them`)
  }
  await rotateKey(rotating)
  t.same(await opened(alone), plain)
  t.same(await rest(), others, 'no version, no time, no event')
  const once = await stored()
  await rotateKey(rotating)
  t.same(await stored(), once, 'values sealed again are skipped from then on')
})

t.test('a concurrent write is never overwritten', async (t) => {
  const { request, id } = await populated(t)
  const source = encryptedHeaders({ database: kit.database, sealer: rotating })
  const [record] = await source.list(null, 1)
  t.equal(record?.id, id)
  const headers = { Authorization: 'Bearer new', 'X-Api-Key': '***REDACTED***' }
  const patch = await request(components.update, { params: { id }, body: { name: 'y', headers } })
  t.equal(patch.status, 200)
  for (const { sealed, context } of record?.texts ?? []) {
    const to = rotating.seal(kit.sealer.open(sealed, context), context)
    await source.replace({ id, from: sealed, to })
  }
  const plain = (await opened(rotating)).filter((line) => line.includes(id))
  t.match(plain, [/authorization Bearer new$/, /x-api-key b$/])
  t.equal(plain.length, 2)
  await rotateKey(rotating)
  t.same(
    (await opened(alone)).filter((line) => line.includes(id)),
    plain,
  )
})

t.test('a value sealed with a lost key is left as is, and blocks no other', async (t) => {
  const { id } = await populated(t)
  const { organizationId } = await populated(t)
  const lost = createSealer({ current: 'x'.repeat(32) }).seal('lost', {
    organizationId,
    purpose: 'component-header',
    recordId: `${id}:x-api-key`,
  })
  await admin.batchSql`UPDATE core.components SET endpoint = replace(endpoint::text,
    endpoint -> 'headers' -> 1 ->> 'sealedValue', ${lost})::json WHERE id = ${id}`
  await rotateKey(rotating)
  const stale = (await stored()).filter(({ sealed }) => alone.isStale(sealed))
  t.same(
    stale.map(({ sealed }) => sealed),
    [lost],
  )
})
