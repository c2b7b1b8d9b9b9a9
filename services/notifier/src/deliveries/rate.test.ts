/** Whose limit holds: the organization's where it chose one, else the installation's. */
import { defaultNotificationLimits } from '@status-page/contracts'
import t from 'tap'
import { limitsOf, type NotifyLimits } from './rate.ts'

const installation: NotifyLimits = {
  ...{ perChannel: 100, perSubscriber: 50, webhookPerSubscriber: 100 },
  ...{ webhookPerOrganization: 1000, global: 1000 },
}

t.test('an organization that chose nothing has the limits of the installation', async (t) => {
  t.same(limitsOf(installation, null, 1), installation)
  t.same(limitsOf(installation, { ...defaultNotificationLimits }, 1), installation)
})

t.test(
  'what it chose holds, multiplied as all limits are; the global one is not its own',
  async (t) => {
    const own = { ...defaultNotificationLimits, perChannel: 3, webhookPerOrganization: 7 }
    t.same(limitsOf(installation, own, 2), {
      ...installation,
      ...{ perChannel: 6, webhookPerOrganization: 14 },
    })
    t.equal(limitsOf(installation, own, 0.01).perChannel, 1, 'one a minute at least')
  },
)
