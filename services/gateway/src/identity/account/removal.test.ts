/**
 * Deletion and export of an account: the required proof, the remaining rows, and the contents of
 * the export.
 */
import { memoryBus } from '@status-page/bus'
import { textOfSchema } from '@status-page/testing'
import t from 'tap'
import { asMember, password, registerMember, runJob, testGateway } from '../../gateway.fixture.ts'
import { addMember, callApi } from '../../organization.fixture.ts'

t.test('the only owner of an organization with other members cannot be removed', async (t) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  await addMember(gateway, owner, 'ADMIN')
  const refused = await callApi(gateway, 'DELETE /auth/me', asMember(owner), { password })
  t.equal(refused.statusCode, 409, refused.body)
  t.equal(refused.json().error.details.reason, 'last_owner')
  const wrong = await callApi(gateway, 'DELETE /auth/me', asMember(owner), {
    password: 'wrong one',
  })
  t.equal(wrong.json().error.details.field, 'password')
})

t.test('the export contains rows and audit entries, and no secret', async (t) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  await memoryBus([{ database: gateway.database, eventHandlers: gateway.eventHandlers }]).drain()
  const response = await callApi(gateway, 'GET /auth/me/export', asMember(owner))
  t.equal(response.statusCode, 200, response.body)
  const { account, memberships, sessions, auditEntries } = response.json()
  t.equal(account.email, owner.identity.user.email)
  t.equal(memberships.length, 1)
  t.equal(sessions.length, 1)
  t.match(auditEntries, [{ action: 'auth.register' }])
  t.notMatch(response.body, /hash/i)
})

t.test('a member leaves no name, address or session in any table', async (t) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  const member = await addMember(gateway, owner, 'ADMIN')
  const bus = memoryBus([{ database: gateway.database, eventHandlers: gateway.eventHandlers }])
  await bus.drain()
  const removed = await callApi(gateway, 'DELETE /auth/me', asMember(member), { password })
  t.equal(removed.statusCode, 200, removed.body)
  t.equal((await callApi(gateway, 'GET /auth/me', asMember(member))).statusCode, 401)
  await bus.drain()
  const text = await textOfSchema(gateway.databases.adminUrl, 'gateway')
  const { email, name } = member.identity.user
  const lines = text.split('\n').filter((line) => line.includes(email))
  t.same(lines, [])
  t.notMatch(
    text
      .split('\n')
      .filter((line) => !line.startsWith('gateway.outbox'))
      .join('\n'),
    name,
  )
})

t.test('an organization without other members is deleted with its account', async (t) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  const removed = await callApi(gateway, 'DELETE /auth/me', asMember(owner), { password })
  t.equal(removed.statusCode, 200, removed.body)
  await runJob(gateway, 'organization-deletion')
  const rows = await gateway.database.batchSql`SELECT organization_id AS id FROM erasure`
  t.same(
    rows.map(({ id }) => id),
    [owner.identity.organization.id],
  )
})
