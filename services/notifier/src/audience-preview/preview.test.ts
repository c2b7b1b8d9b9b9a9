/**
 * The preview counts recipients as a fan-out matches them, and estimates the delay by the limits.
 */
import {
  type AudiencePreview,
  audienceOperations,
  draftEvent,
  type IncidentEventData,
  organizationUpdated,
  type SubscriberEventData,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { serve } from '@status-page/service'
import { inject, testCaller, testDatabase, testKeys } from '@status-page/testing'
import t, { type Test } from 'tap'
import {
  created,
  generous,
  incident,
  opened,
  stage,
  subscriber,
} from '../deliveries/stage.fixture.ts'
import { audienceRoutes } from './routes.ts'

// Holds the shared database server for the whole file; the last release stops it.
await testDatabase(t, { services: [] })

const setScene = async (t: Test, limits = generous) => {
  const staged = await stage(t, limits)
  const keys = testKeys()
  const app = serve({
    service: 'notifier',
    database: staged.notifier,
    verifier: keys.verifier('notifier'),
    routes: audienceRoutes({ limits, multiplier: 1 }),
  })
  t.teardown(() => app.close())
  const { organizationId } = staged
  const requestPreview = (
    fact: IncidentEventData,
    caller = testCaller({ organizationId, role: 'ADMIN' }),
  ) => inject(app, audienceOperations.preview, { caller, body: { incident: fact } })
  const preview = async (fact: IncidentEventData): Promise<AudiencePreview> => {
    const { status, body } = await requestPreview(fact)
    if (status !== 200) throw new Error(JSON.stringify(body))
    return body
  }
  return { ...staged, requestPreview, preview }
}

const mailbox = (change: Partial<SubscriberEventData> = {}) =>
  subscriber({ type: 'email', email: `${newId()}@example.com`, ...change })

const noRecipients = {
  sent: 0,
  muted: 0,
  unconfirmed: 0,
  quarantined: 0,
  disabled: 0,
  unsubscribed: 0,
}

const component = (change: object = {}) => ({
  id: newId(),
  name: 'API',
  status: 'operational' as const,
  isMuted: false,
  ancestorIds: [] as string[],
  ...change,
})

t.test('the preview counts the same recipients as a fan-out', async (t) => {
  const { publish, drain, preview, rows } = await setScene(t)
  const [parent, page] = [newId(), newId()]
  const child = component({ ancestorIds: [parent] })
  await publish(
    ...[
      mailbox(),
      mailbox({ componentIds: [parent] }),
      mailbox({ statusPageId: page }),
      mailbox({ events: ['incident.resolved'] }),
      mailbox({ componentIds: [newId()] }),
      mailbox({ statusPageId: newId() }),
      mailbox({ status: 'unconfirmed' }),
      mailbox({ status: 'quarantined' }),
      mailbox({ status: 'unsubscribed' }),
      subscriber({ webhookUrl: 'http://127.0.0.1:9/hook' }),
    ].map(created),
  )
  await drain()
  const fact = incident({ components: [child], statusPageIds: [page] })
  const seen = await preview(fact)
  t.same(seen.subscribers, {
    email: { ...noRecipients, sent: 3, unconfirmed: 1, quarantined: 1 },
    sms: noRecipients,
    webhook: { ...noRecipients, sent: 1 },
  })
  t.same(seen.statusPageIds, [page])
  t.match(seen, { event: 'incident.created', sent: 4, deferred: 0, estimatedSeconds: 0 })
  t.equal((await rows()).length, 0, 'nothing is written')
  await publish(opened(fact))
  await drain()
  t.equal((await rows()).length, seen.sent)
})

t.test(
  'the preview counts muted recipients, and no subscribers of an event for channels',
  async (t) => {
    const { publish, drain, preview } = await setScene(t)
    await publish(created(mailbox()))
    await drain()
    const muted = await preview(incident({ components: [component({ isMuted: true })] }))
    t.match(muted, { sent: 0, subscribers: { email: { ...noRecipients, muted: 1 } } })
    const silent = await preview(incident({ notifySubscribers: false }))
    t.match(silent, { sent: 0, subscribers: { email: noRecipients } })
  },
)

t.test("the estimate includes the organization's limits and pending deliveries", async (t) => {
  const { publish, drain, preview, publishAsGateway, organizationId } = await setScene(t, {
    ...generous,
    global: 4,
  })
  await publish(...Array.from({ length: 6 }, () => created(mailbox())))
  await drain()
  t.match(await preview(incident()), { sent: 6, deferred: 2, waiting: 0, estimatedSeconds: 60 })
  await publish(opened(incident()))
  await drain()
  t.match(await preview(incident()), { sent: 6, deferred: 6, waiting: 6, estimatedSeconds: 120 })
  const hooks = Array.from({ length: 3 }, (_none, n) =>
    subscriber({ webhookUrl: `http://127.0.0.1:9/${n}` }),
  )
  await publish(...hooks.map(created))
  const notificationLimits = {
    perChannel: 10,
    perSubscriber: 5,
    webhookPerSubscriber: 10,
    webhookPerOrganization: 1,
  }
  const organization = { id: organizationId, name: 'Acme', slug: 'acme', notificationLimits }
  await publishAsGateway(
    draftEvent(organizationUpdated, { id: organizationId, version: 2 }, { organization }),
  )
  await drain()
  const seen = await preview(incident({ components: [] }))
  t.match(seen, { sent: 9, estimatedSeconds: 180 }, '15 at 4 a minute; 3 webhooks take 2 minutes')
})

t.test('only core may request a preview, for callers that may write incidents', async (t) => {
  const { requestPreview, organizationId } = await setScene(t)
  const reader = testCaller({ organizationId, permissions: ['incidents:read'] })
  t.equal((await requestPreview(incident(), reader)).status, 403)
})
