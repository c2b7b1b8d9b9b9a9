/** Rendering of messages, and the time that a batch holds the event loop. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { newId } from '@status-page/postgres'
import t from 'tap'
import { actionTokens, baseUrl, seals } from '../stage.fixture.ts'
import type { LeasedEvent } from './events.ts'
import type { LoadedDelivery } from './load-for-send.ts'
import { prepareMessage } from './message.ts'
import { settleBatch } from './retry.ts'

const event = (payload: object): LeasedEvent => ({
  organizationId: newId(),
  eventId: newId(),
  kind: 'incident.created',
  aggregateId: newId(),
  aggregateVersion: 1,
  traceparent: null,
  occurredAt: new Date(),
  payload,
  isSubjectDeleted: false,
  isMuted: false,
  mutedPageIds: [],
})

const leasedWebhook = (about: LeasedEvent, body: Buffer | null): LoadedDelivery => {
  const { organizationId, eventId } = about
  const own = { id: newId(), organizationId }
  return {
    delivery: {
      ...own,
      destinationId: newId(),
      eventId,
      attempts: 2,
      coveredEventIds: [],
      body,
      expiresAt: new Date(),
    },
    destination: {
      ...own,
      kind: 'channel',
      type: 'webhook',
      state: 'active',
      address: 'x',
      subscriberId: null,
      userId: null,
      channelId: own.id,
      webhookSecret: null,
      manageToken: null,
      statusPageId: null,
      statusPageName: null,
      hasFailed: false,
      previousWebhookSecret: null,
      previousWebhookSecretUntil: null,
    },
    event: about,
    channel: null,
    isOptedOut: false,
    limits: null,
    branding: { organizationName: 'Acme', locale: 'en', timezone: 'UTC', appearance: null },
    waiting: { all: 0, aboutMonitors: 0 },
  }
}

t.test('a delivery with a stored body is not rendered again', async (t) => {
  const unreadable = event({
    get incident(): never {
      throw new Error('rendered')
    },
  })
  const prepare = (body: Buffer | null) =>
    prepareMessage(
      { baseUrl, sealer: seals, actionTokens },
      {
        leased: leasedWebhook(unreadable, body),
        latest: [unreadable],
        omitted: 0,
        channel: null,
        now: new Date(),
      },
    )
  t.equal(prepare(Buffer.from('stored')).body?.toString(), 'stored')
  t.throws(() => prepare(null), { message: 'rendered' }, 'the first attempt renders')
})

t.test('a batch of expensive renderings yields to other work', async (t) => {
  let isOver = false
  let turns = 0
  const others = (async () => {
    for (; !isOver; turns++) await nextTurn()
  })()
  const items = Array.from({ length: 40 }, () => leasedWebhook(event({}), null))
  const results = await settleBatch({ error: () => {} }, items, async () => {
    const end = performance.now() + 5
    while (performance.now() < end);
    return true
  })
  isOver = true
  await others
  t.equal(results.length, 40)
  t.ok(turns >= 10, `${turns} turns of others`)
})
