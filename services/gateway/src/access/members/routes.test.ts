/** Members over HTTP. */
import t from 'tap'
import {
  asKey,
  asMember,
  cookieOf,
  createApiKey,
  gatewayOver,
  registerMember,
  runJob,
  type SignedInMember,
  testGateway,
} from '../../gateway.fixture.ts'
import {
  addMember,
  audited,
  callApi,
  type Gateway,
  makeRole,
  newEmail,
} from '../../organization.fixture.ts'

const path = ({ identity }: SignedInMember) => `/organization/members/${identity.user.id}`

const setRole = (
  gateway: Pick<Gateway, 'http'>,
  by: SignedInMember,
  of: SignedInMember,
  body: object,
) => callApi(gateway, `PATCH ${path(of)}`, asMember(by), body)

t.test('members are listed, sorted, searched and filtered by role', async (t) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway, 'Zoe')
  const role = await makeRole(gateway, owner, ['COMPONENTS_VIEW'], 'Own role')
  for (const one of [role, 'VIEWER', 'ADMIN']) await addMember(gateway, owner, one)
  await registerMember(gateway, 'Elsewhere')
  const list = async (query: string) =>
    (await callApi(gateway, `GET /organization/members?${query}`, asMember(owner))).json()
  const all = await list('sortBy=role')
  t.same(
    all.data.map((one: { role: string; roleName: string }) => [one.role, one.roleName]),
    [
      ['OWNER', 'OWNER'],
      ['ADMIN', 'ADMIN'],
      ['VIEWER', 'VIEWER'],
      [role, 'Own role'],
    ],
  )
  t.equal(all.meta.total, 4)
  t.match(all.data[0], {
    userId: owner.identity.user.id,
    email: owner.identity.user.email,
    name: 'Zoe',
    twoFactorEnabled: false,
  })
  t.ok(all.data[0].lastLoginAt)
  t.equal((await list('')).data.at(-1).name, 'Zoe', 'by name')
  t.equal((await list('search=ZO')).meta.total, 1)
  t.equal((await list('search=%25')).meta.total, 0, 'literally')
  t.equal((await list(`role=${role}`)).data[0].roleName, 'Own role')
  t.equal((await list('role=nobody')).meta.total, 0)
})

t.test('only an OWNER grants or revokes OWNER, and the last one stays', async (t) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  const admin = await addMember(gateway, owner, 'ADMIN')
  const viewer = await addMember(gateway, owner, 'VIEWER')
  const { key } = await createApiKey(gateway, owner, ['organization:write'])
  const reason = (response: { json(): { error?: { details?: { reason?: string } } } }) =>
    response.json().error?.details?.reason
  t.equal(reason(await setRole(gateway, admin, viewer, { role: 'OWNER' })), 'owner_required')
  t.equal(reason(await setRole(gateway, admin, owner, { role: 'VIEWER' })), 'owner_required')
  t.equal(
    reason(await callApi(gateway, `DELETE ${path(owner)}`, asMember(admin))),
    'owner_required',
  )
  const byKey = await callApi(gateway, `PATCH ${path(viewer)}`, asKey(key), { role: 'OWNER' })
  t.equal(reason(byKey), 'owner_required', 'a key is no OWNER')
  t.equal(reason(await setRole(gateway, owner, owner, { role: 'ADMIN' })), 'last_owner')
  t.equal(reason(await callApi(gateway, `DELETE ${path(owner)}`, asMember(owner))), 'last_owner')

  t.equal((await setRole(gateway, owner, viewer, { role: 'OWNER' })).statusCode, 200)
  const both = await Promise.all([
    setRole(gateway, owner, owner, { role: 'ADMIN' }),
    setRole(gateway, viewer, viewer, { role: 'ADMIN' }),
  ])
  t.same(both.map(({ statusCode }) => statusCode).sort(), [200, 409], 'one of two at once')
})

t.test("a role beyond the caller's own and an unknown role are refused", async (t) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  const role = await makeRole(gateway, owner, ['ORGANIZATION_UPDATE', 'COMPONENTS_VIEW'])
  const helper = await addMember(gateway, owner, role)
  const viewer = await addMember(gateway, owner, 'VIEWER')
  const refused = await setRole(gateway, helper, viewer, { role: 'MEMBER' })
  t.equal(refused.statusCode, 403)
  t.match(refused.json().error, { message: /^Missing permission: / })
  t.equal((await setRole(gateway, helper, viewer, { role })).statusCode, 200)
  const foreign = await registerMember(gateway)
  const theirs = await makeRole(gateway, foreign, ['COMPONENTS_VIEW'])
  for (const unknown of ['owner', 'NOBODY', theirs, viewer.identity.user.id]) {
    const response = await setRole(gateway, owner, viewer, { role: unknown })
    t.equal(response.statusCode, 400, unknown)
    t.equal(response.json().error.details.field, 'role')
  }
  const missing = await setRole(gateway, foreign, viewer, { role: 'VIEWER' })
  const unidentified = await callApi(
    gateway,
    'PATCH /organization/members/019f0000-0000-7000-8000-000000000000',
    asMember(foreign),
    { role: 'VIEWER' },
  )
  t.equal(missing.statusCode, 404)
  t.same(missing.json(), unidentified.json())
})

t.test('a lowered role is effective at once on a replica without notifications', async (t) => {
  const gateway = await testGateway(t)
  const other = gatewayOver(t, await gateway.databases.connect('gateway'))
  const owner = await registerMember(gateway)
  const admin = await addMember(gateway, owner, 'ADMIN')
  const wide = await createApiKey(gateway, admin, ['audit:read'])
  const narrow = await createApiKey(gateway, admin, ['components:read'])
  await Promise.all([runJob(gateway, 'presence'), runJob(other, 'presence')])
  t.equal((await callApi(other, 'GET /audit-logs', asMember(admin))).statusCode, 200)
  t.equal((await callApi(other, 'GET /audit-logs', asKey(wide.key))).statusCode, 200)
  const changed = await setRole(gateway, owner, admin, { role: 'VIEWER' })
  t.match(changed.json(), { role: 'VIEWER', roleName: 'VIEWER' })
  for (const one of [other, gateway]) {
    t.equal((await callApi(one, 'GET /audit-logs', asMember(admin))).statusCode, 403)
    t.equal((await callApi(one, 'GET /audit-logs', asKey(wide.key))).statusCode, 401)
    t.equal((await callApi(one, 'GET /auth/me', asKey(narrow.key))).statusCode, 200)
  }
  const keys = (await callApi(gateway, 'GET /api-keys', asMember(owner))).json().data
  const disabled = (id: string) => keys.find((key: { id: string }) => key.id === id).disabledAt
  t.ok(disabled(wide.id))
  t.equal(disabled(narrow.id), null)
  const back = await setRole(gateway, owner, admin, { role: 'ADMIN' })
  t.equal(back.statusCode, 200)
  t.equal((await callApi(gateway, 'GET /audit-logs', asKey(wide.key))).statusCode, 401, 'for good')
})

t.test(
  'a changed role renews the session token at the next use; the old one ends soon',
  async (t) => {
    const gateway = await testGateway(t)
    const owner = await registerMember(gateway)
    const viewer = await addMember(gateway, owner, 'VIEWER')
    await setRole(gateway, owner, viewer, { role: 'MEMBER' })
    const next = await callApi(gateway, 'GET /organization', asMember(viewer))
    t.equal(next.statusCode, 200)
    const renewed = { ...viewer, cookie: cookieOf(next) }
    t.match(renewed.cookie, /^session=[\w-]{43}$/)
    t.not(renewed.cookie, viewer.cookie)
    const again = await callApi(gateway, 'GET /organization', asMember(renewed))
    t.equal(again.statusCode, 200)
    t.equal(again.headers['set-cookie'], undefined, 'once')
    const late = await callApi(gateway, 'GET /organization', asMember(viewer))
    t.equal(late.statusCode, 200, 'the old token stays valid for requests in flight')
    t.equal(late.headers['set-cookie'], undefined)
    const { database } = gateway
    await database.db.transaction(async (tx) => {
      await tx.execute(`SELECT set_config('app.org', '${viewer.identity.organization.id}', true)`)
      await tx.execute(`UPDATE sessions SET replaced_until = now() WHERE replaced_until > now()`)
    })
    t.equal((await callApi(gateway, 'GET /organization', asMember(viewer))).statusCode, 401)
    t.equal((await callApi(gateway, 'GET /organization', asMember(renewed))).statusCode, 200)
  },
)

t.test(
  'a removed member loses access at once; their keys are disabled or transferred',
  async (t) => {
    const gateway = await testGateway(t)
    const other = gatewayOver(t, await gateway.databases.connect('gateway'))
    const owner = await registerMember(gateway)
    const [first, second] = [
      await addMember(gateway, owner, 'ADMIN'),
      await addMember(gateway, owner, 'ADMIN'),
    ]
    const viewer = await addMember(gateway, owner, 'VIEWER')
    const ended = await createApiKey(gateway, first, ['components:read'])
    const transferred = await createApiKey(gateway, second, ['components:write'])
    await Promise.all([runJob(gateway, 'presence'), runJob(other, 'presence')])
    t.equal((await callApi(other, 'GET /organization', asMember(first))).statusCode, 200)
    const membershipRemoved = await callApi(gateway, `DELETE ${path(first)}`, asMember(owner))
    t.same(membershipRemoved.json(), { success: true, disabledApiKeys: 1 })
    t.equal((await callApi(other, 'GET /organization', asMember(first))).statusCode, 401)
    t.equal((await callApi(other, 'GET /components', asKey(ended.key))).statusCode, 401)

    const remove = (heir: string) =>
      callApi(gateway, `DELETE ${path(second)}?transferKeysTo=${heir}`, asMember(owner))
    for (const heir of [viewer, first, second]) {
      const refused = await remove(heir.identity.user.id)
      t.equal(refused.statusCode, 400, 'too few rights, a former member, or the removed member')
      t.equal(refused.json().error.details.field, 'transferKeysTo')
    }
    const handed = await remove(owner.identity.user.id)
    t.same(handed.json(), { success: true, disabledApiKeys: 0 })
    t.equal((await callApi(gateway, 'GET /components', asKey(transferred.key))).statusCode, 200)
    const keys = (await callApi(gateway, 'GET /api-keys', asMember(owner))).json().data
    const { createdBy } = keys.find(({ id }: { id: string }) => id === transferred.id)
    t.equal(createdBy, owner.identity.user.id)

    const entries = (await audited(gateway, owner)).filter(
      ({ action }) => action === 'member.delete',
    )
    t.match(entries, [
      { changes: { disabledApiKeys: { to: [ended.id] } } },
      { changes: { transferredApiKeys: { to: [transferred.id] } } },
    ])
    const events = await gateway.database.batchSql`
    SELECT aggregate_version AS version FROM outbox WHERE kind = 'member.removed'`
    t.same([...events], [{ version: 2 }, { version: 2 }])
  },
)

t.test('open invitations beyond the reduced rights of their sender are withdrawn', async (t) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  const admin = await addMember(gateway, owner, 'ADMIN')
  for (const role of ['ADMIN', 'VIEWER']) {
    await callApi(gateway, 'POST /organization/invitations', asMember(admin), {
      email: newEmail(),
      role,
    })
  }
  await setRole(gateway, owner, admin, { role: 'MEMBER' })
  const list = (await callApi(gateway, 'GET /organization/invitations', asMember(owner))).json()
  t.same(
    list.data
      .filter(({ status }: { status: string }) => status === 'pending')
      .map(({ role }: { role: string }) => role),
    ['VIEWER'],
  )
})

t.test('a change without effect emits no event and no audit entry', async (t) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  const viewer = await addMember(gateway, owner, 'VIEWER')
  const before = (await audited(gateway, owner)).length
  for (const body of [{}, { role: 'VIEWER' }]) {
    t.equal((await setRole(gateway, owner, viewer, body)).statusCode, 200)
  }
  t.equal((await audited(gateway, owner)).length, before)
})
