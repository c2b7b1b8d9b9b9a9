/** The organization's limit applies where it set one, else the installation's. */
import { defaultNotificationLimits, draftEvent, organizationUpdated } from '@status-page/contracts'
import { httpTarget } from '@status-page/testing'
import t from 'tap'
import { created, hook, incident, opened, stage } from '../stage.fixture.ts'
import { effectiveLimits, type NotifyLimits } from './rate.ts'

const installation: NotifyLimits = {
  perChannel: 100,
  perSubscriber: 50,
  webhookPerSubscriber: 100,
  webhookPerOrganization: 1000,
  global: 1000,
}

t.test('an organization without its own limits has those of the installation', async (t) => {
  t.same(effectiveLimits(installation, null, 1), installation)
  t.same(effectiveLimits(installation, { ...defaultNotificationLimits }, 1), installation)
})

t.test('limits of an organization apply with the multiplier, except the global one', async (t) => {
  const own = { ...defaultNotificationLimits, perChannel: 3, webhookPerOrganization: 7 }
  t.same(effectiveLimits(installation, own, 2), {
    ...installation,
    perChannel: 6,
    webhookPerOrganization: 14,
  })
  t.equal(effectiveLimits(installation, own, 0.01).perChannel, 1, 'at least one per minute')
})

t.test('a limit that an organization sets applies from then on', async (t) => {
  const { publish, publishAsGateway, deliver, rows, organizationId: id } = await stage(t)
  const target = await httpTarget(t)
  const notificationLimits = { ...defaultNotificationLimits, webhookPerSubscriber: 1 }
  const organization = { id, name: 'Acme', slug: 'acme', notificationLimits }
  await publishAsGateway(draftEvent(organizationUpdated, { id, version: 2 }, { organization }))
  await publish(created(hook(target)), opened(incident()), opened(incident()))
  await deliver()
  t.equal(target.requests.length, 1)
  t.match((await rows()).map(({ state, reason }) => [state, reason]).sort(), [
    ['delivered', null],
    ['pending', 'rate_limit'],
  ])
})
