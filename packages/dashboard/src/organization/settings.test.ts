/** Settings of an organization as a form. */
import t from 'tap'
import { patchOf, valuesOf } from './settings.ts'

t.test('a form shows the settings, and sends changed ones only', async (t) => {
  const notificationLimits = {
    perChannel: 10,
    perSubscriber: 5,
    webhookPerSubscriber: 10,
    webhookPerOrganization: 100,
  }
  const values = valuesOf({
    name: 'Acme',
    require2FA: false,
    ssoEnforced: false,
    allowedEmailDomains: ['a.test', 'b.test'],
    notificationLimits,
  } as Parameters<typeof valuesOf>[0])
  t.match(values, { name: 'Acme', domains: 'a.test\nb.test', perChannel: '10' })
  t.same(patchOf({}), {})
  t.same(patchOf({ domains: ' a.test, c.test\n\na.test' }), {
    allowedEmailDomains: ['a.test', 'c.test'],
  })
  t.same(patchOf({ domains: '', require2FA: true, perChannel: '20' }), {
    allowedEmailDomains: [],
    require2FA: true,
    notificationLimits: { perChannel: 20 },
  })
})
