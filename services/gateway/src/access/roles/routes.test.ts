/** Roles over HTTP. */
import { builtInRoles, systemActor } from '@status-page/contracts'
import { transact } from '@status-page/postgres'
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
import { saveProvider } from '../../identity/saml/store.ts'
import { addMember, audited, callApi, makeRole } from '../../organization.fixture.ts'
import { insertRole } from '../rights/role-store.ts'
import { MAX_CUSTOM_ROLES } from '../rights/rules.ts'

t.test(
  'a custom role is created, listed with the built-in ones, changed and deleted',
  async (t) => {
    const gateway = await testGateway(t)
    const owner = await registerMember(gateway)
    const as = asMember(owner)
    const made = await callApi(gateway, 'POST /organization/roles', as, {
      name: 'Writers',
      permissions: ['INCIDENTS_UPDATE', 'COMPONENTS_VIEW'],
    })
    t.equal(made.statusCode, 201, made.body)
    const { id, ...role } = made.json()
    t.match(role, {
      name: 'Writers',
      description: null,
      isBuiltIn: false,
      memberCount: 0,
      permissions: ['COMPONENTS_VIEW', 'INCIDENTS_UPDATE'],
    })
    const list = (await callApi(gateway, 'GET /organization/roles?sortBy=name', as)).json()
    t.same(
      list.data.map((one: { name: string }) => one.name),
      [...builtInRoles, 'Writers'].sort(),
    )
    t.equal(list.meta.total, 9)
    const owners = list.data.find((one: { id: string }) => one.id === 'OWNER')
    t.match(owners, { name: 'OWNER', isBuiltIn: true, memberCount: 1, createdAt: null })
    const page = (
      await callApi(gateway, 'GET /organization/roles?sortBy=createdAt&pageSize=2', as)
    ).json()
    t.same([page.data[0].id, page.meta], [id, { total: 9, page: 1, pageSize: 2 }], 'newest first')

    const one = `/organization/roles/${id}`
    const changed = await callApi(gateway, `PATCH ${one}`, as, { description: 'Who write' })
    t.match(changed.json(), { id, name: 'Writers', description: 'Who write' })
    t.same((await callApi(gateway, `GET ${one}`, as)).json(), changed.json())
    const same = await callApi(gateway, `PATCH ${one}`, as, { name: 'Writers' })
    t.equal(same.json().updatedAt, changed.json().updatedAt)
    t.same((await callApi(gateway, `DELETE ${one}`, as)).json(), { success: true })
    t.equal((await callApi(gateway, `GET ${one}`, as)).statusCode, 404)
    const actions = (await audited(gateway, owner)).map(({ action }) => action)
    t.same(actions.slice(1), ['role.create', 'role.update', 'role.delete'])
  },
)

t.test('names are unique without case, and never those of built-in roles', async (t) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  const make = (name: string) =>
    callApi(gateway, 'POST /organization/roles', asMember(owner), {
      name,
      permissions: ['COMPONENTS_VIEW'],
    })
  t.equal((await make('Readers')).statusCode, 201)
  for (const name of ['readers', 'owner', 'Incident_Manager', ' OWNER']) {
    const refused = await make(name)
    t.equal(refused.statusCode, 409, name)
    t.equal(refused.json().error.details.reason, 'duplicate')
  }
  const elsewhere = await registerMember(gateway)
  t.ok(
    await makeRole(gateway, elsewhere, ['COMPONENTS_VIEW'], 'Readers'),
    'of another organization',
  )
})

t.test('built-in roles can only be read', async (t) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  const read = await callApi(gateway, 'GET /organization/roles/VIEWER', asMember(owner))
  t.match(read.json(), { id: 'VIEWER', isBuiltIn: true })
  for (const line of ['PATCH', 'DELETE']) {
    const refused = await callApi(
      gateway,
      `${line} /organization/roles/VIEWER`,
      asMember(owner),
      {},
    )
    t.equal(refused.statusCode, 409)
    t.equal(refused.json().error.details.reason, 'invalid_state')
  }
})

t.test('a role contains no more rights than its creator, which may be an API key', async (t) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  const { key } = await createApiKey(gateway, owner, ['organization:write', 'components:read'])
  const make = async (permissions: string[]) => {
    const payload = { name: permissions.join(), permissions }
    const response = await callApi(gateway, 'POST /organization/roles', asKey(key), payload)
    return response.json().error ?? response.json()
  }
  const own = await make(['COMPONENTS_VIEW', 'ORGANIZATION_DELETE'])
  t.ok(own.id)
  t.match(await make(['COMPONENTS_DELETE']), {
    message: 'Missing permission: components:write',
    details: { permission: 'components:write', rolePermission: 'COMPONENTS_DELETE' },
  })
  t.match(await make(['AUDIT_VIEW']), { details: { permission: 'audit:read' } })

  const id = await makeRole(gateway, owner, ['INCIDENTS_DELETE', 'INCIDENTS_UPDATE'])
  const patch = (permissions: string[]) =>
    callApi(gateway, `PATCH /organization/roles/${id}`, asKey(key), { permissions })
  t.equal(
    (await patch(['INCIDENTS_UPDATE', 'COMPONENTS_VIEW'])).statusCode,
    200,
    'revokes and grants held rights',
  )
  t.equal(
    (await patch(['INCIDENTS_UPDATE', 'INCIDENTS_DELETE'])).statusCode,
    403,
    'cannot grant the revoked right again',
  )
})

t.test('a session has exactly the rights of its custom role and those they imply', async (t) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  const role = await makeRole(gateway, owner, ['COMPONENTS_CREATE', 'ORGANIZATION_VIEW'])
  const holder = await addMember(gateway, owner, role)
  t.equal(holder.identity.organization.role, role)
  const status = async (line: string) =>
    (await callApi(gateway, line, asMember(holder), line.startsWith('GET') ? undefined : {}))
      .statusCode
  t.equal(await status('GET /components'), 200)
  t.equal(await status('POST /components'), 200)
  t.equal(await status('DELETE /components/x'), 403)
  t.equal(await status('GET /incidents'), 403)
  t.equal(await status('GET /organization'), 200)
  t.equal(await status('PATCH /organization'), 403)
})

t.test(
  'rights removed from a role are removed from holders and their keys on every replica',
  async (t) => {
    const gateway = await testGateway(t)
    const other = gatewayOver(t, await gateway.databases.connect('gateway'))
    const owner = await registerMember(gateway)
    const role = await makeRole(gateway, owner, [
      'AUDIT_VIEW',
      'ORGANIZATION_VIEW',
      'ORGANIZATION_CREATE',
      'ORGANIZATION_UPDATE',
      'ORGANIZATION_DELETE',
    ])
    const holder = await addMember(gateway, owner, role)
    const wide = await createApiKey(gateway, holder, ['audit:read', 'organization:read'])
    const narrow = await createApiKey(gateway, holder, ['organization:read'])
    await Promise.all([runJob(gateway, 'presence'), runJob(other, 'presence')])
    t.equal(
      (await callApi(other, 'GET /audit-logs', asMember(holder))).statusCode,
      200,
      'cached there',
    )
    t.equal((await callApi(other, 'GET /audit-logs', asKey(wide.key))).statusCode, 200)
    const changed = await callApi(gateway, `PATCH /organization/roles/${role}`, asMember(owner), {
      permissions: ['ORGANIZATION_VIEW'],
    })
    t.equal(changed.statusCode, 200, changed.body)
    t.equal((await callApi(other, 'GET /audit-logs', asMember(holder))).statusCode, 403)
    t.equal((await callApi(other, 'GET /organization', asKey(wide.key))).statusCode, 401)
    t.equal((await callApi(other, 'GET /organization', asKey(narrow.key))).statusCode, 200)
    const [entry] = (await audited(gateway, owner)).filter(({ action }) => action === 'role.update')
    t.match(entry?.changes, { disabledApiKeys: { to: [wide.id] } })
  },
)

t.test('a role used by members, invitations or single sign-on cannot be deleted', async (t) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  const as = asMember(owner)
  const [held, promised, given] = [
    await makeRole(gateway, owner, ['COMPONENTS_VIEW'], 'held'),
    await makeRole(gateway, owner, ['COMPONENTS_VIEW'], 'promised'),
    await makeRole(gateway, owner, ['COMPONENTS_VIEW'], 'given at first login'),
  ]
  await addMember(gateway, owner, held)
  const invitation = { email: 'late@example.com', role: promised }
  await callApi(gateway, 'POST /organization/invitations', as, invitation)
  const provider = {
    isEnabled: true,
    idpEntityId: 'https://idp.example.com',
    idpSsoUrl: 'https://idp.example.com/sso',
    certificates: [],
    defaultRole: given,
    attributeMapping: {},
    setByOwner: true,
  }
  const by = { organizationId: owner.identity.organization.id, actor: systemActor }
  await transact(gateway.database, by, async (scope) => {
    await saveProvider(scope, provider)
    return { result: undefined }
  })
  for (const id of [held, promised, given]) {
    const refused = await callApi(gateway, `DELETE /organization/roles/${id}`, as)
    t.equal(refused.statusCode, 409)
    t.equal(refused.json().error.details.reason, 'in_use')
  }
  const foreign = await registerMember(gateway)
  for (const line of ['GET', 'PATCH', 'DELETE']) {
    const response = await callApi(
      gateway,
      `${line} /organization/roles/${held}`,
      asMember(foreign),
      {},
    )
    t.equal(response.statusCode, 404, 'as unknown as none')
  }
})

t.test('an organization has at most a hundred custom roles', async (t) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  const permissions = ['COMPONENTS_VIEW'] as const
  const by = { organizationId: owner.identity.organization.id, actor: systemActor }
  await transact(gateway.database, by, async (scope) => {
    for (let index = 1; index < MAX_CUSTOM_ROLES; index++) {
      const fields = { name: `Role ${index}`, description: null, permissions: [...permissions] }
      await insertRole(scope, fields)
    }
    return { result: null }
  })
  const make = (name: string) =>
    callApi(gateway, 'POST /organization/roles', asMember(owner), { name, permissions })
  t.equal((await make('The hundredth')).statusCode, 201)
  const refused = await make('One more')
  t.equal(refused.statusCode, 409)
  t.match(refused.json(), { error: { details: { reason: 'invalid_state' } } })
})
