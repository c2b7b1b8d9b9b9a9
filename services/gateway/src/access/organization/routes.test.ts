/** The organization and its policies over HTTP. */
import t from 'tap'
import {
  asKey,
  asMember,
  createApiKey,
  gatewayOver,
  registerMember,
  runJob,
  testGateway,
} from '../../gateway.fixture.ts'
import { admitsPasswordLogin } from '../../identity/users/rules.ts'
import { audited, callApi } from '../../organization.fixture.ts'

t.test('a change is audited with its fields; one without effect is not', async (t) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  const before = (await callApi(gateway, 'GET /organization', asMember(owner))).json()
  t.match(before, {
    id: owner.identity.organization.id,
    require2FA: false,
    ssoEnforced: false,
    allowedEmailDomains: [],
    notificationLimits: {
      perChannel: 10,
      perSubscriber: 5,
      webhookPerSubscriber: 10,
      webhookPerOrganization: 100,
    },
  })
  const changed = await callApi(gateway, 'PATCH /organization', asMember(owner), {
    name: 'Renamed',
    slug: 'other',
    id: '019f0000-0000-7000-8000-000000000001',
    allowedEmailDomains: ['Example.COM', 'bücher.example'],
    notificationLimits: { perChannel: 1000 },
  })
  t.equal(changed.statusCode, 200, changed.body)
  t.match(changed.json(), {
    id: before.id,
    slug: before.slug,
    name: 'Renamed',
    allowedEmailDomains: ['example.com', 'xn--bcher-kva.example'],
    notificationLimits: { ...before.notificationLimits, perChannel: 1000 },
  })
  const again = await callApi(gateway, 'PATCH /organization', asMember(owner), {
    name: 'Renamed',
    notificationLimits: {},
  })
  t.same(again.json(), changed.json())
  const events = await gateway.database.batchSql`
    SELECT aggregate_version AS version, payload FROM outbox WHERE kind = 'organization.updated'`
  t.match(
    [...events],
    [{ version: 2, payload: { organization: { name: 'Renamed', notificationLimits: {} } } }],
  )
  const entries = (await audited(gateway, owner)).filter(
    ({ action }) => action === 'organization.update',
  )
  t.match(entries, [{ changes: { name: { to: 'Renamed' } } }])
})

t.test('settings are validated', async (t) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  const cases: [object, string][] = [
    [{ name: null }, 'name'],
    [{ name: '' }, 'name'],
    [{ require2FA: 'true' }, 'require2FA'],
    [{ ssoEnforced: true }, 'ssoEnforced'],
    [{ allowedEmailDomains: ['@example.com'] }, 'allowedEmailDomains[0]'],
    [{ allowedEmailDomains: ['a.com', 'a.com'] }, 'allowedEmailDomains'],
    [{ notificationLimits: { perChannel: 0 } }, 'notificationLimits.perChannel'],
    [{ notificationLimits: { perChannel: 1001 } }, 'notificationLimits.perChannel'],
    [{ notificationLimits: null }, 'notificationLimits'],
  ]
  for (const [payload, field] of cases) {
    const response = await callApi(gateway, 'PATCH /organization', asMember(owner), payload)
    t.equal(response.statusCode, 400, JSON.stringify(payload))
    t.equal(response.json().error.details.field, field)
  }
})

t.test(
  'require2FA is effective at once on every replica, for sessions and not for keys',
  async (t) => {
    const gateway = await testGateway(t)
    const other = gatewayOver(t, await gateway.databases.connect('gateway'))
    const owner = await registerMember(gateway)
    const { key } = await createApiKey(gateway, owner, ['organization:read'])
    await Promise.all([runJob(gateway, 'presence'), runJob(other, 'presence')])
    t.equal(
      (await callApi(other, 'GET /organization', asMember(owner))).statusCode,
      200,
      'cached there',
    )
    const changed = await callApi(gateway, 'PATCH /organization', asMember(owner), {
      require2FA: true,
    })
    t.equal(changed.statusCode, 200)
    for (const one of [gateway, other]) {
      const refused = await callApi(one, 'GET /organization', asMember(owner))
      t.equal(refused.statusCode, 403)
      t.equal(refused.json().error.details.reason, 'two_factor_enrolment_required')
      t.equal((await callApi(one, 'GET /auth/me', asMember(owner))).statusCode, 200)
      t.equal((await callApi(one, 'GET /organization', asKey(key))).statusCode, 200)
    }
  },
)

t.test('enforced single sign-on admits the password of an OWNER with 2FA only', async (t) => {
  for (const role of ['OWNER', 'ADMIN', 'VIEWER']) {
    for (const hasTwoFactor of [true, false]) {
      t.ok(admitsPasswordLogin({ ssoEnforced: false, role, hasTwoFactor }))
      const isEmergency = role === 'OWNER' && hasTwoFactor
      t.equal(admitsPasswordLogin({ ssoEnforced: true, role, hasTwoFactor }), isEmergency)
    }
  }
})
