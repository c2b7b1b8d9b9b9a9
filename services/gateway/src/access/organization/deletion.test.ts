/** Deletion of the organization: required rights, withdrawal, and remaining rows. */
import { memoryBus } from '@status-page/bus'
import { services, systemActor } from '@status-page/contracts'
import { connect, type Database, ItemFailures, type Job, transact } from '@status-page/postgres'
import { textOfSchema } from '@status-page/testing'
import t, { type Test } from 'tap'
import { saveReceipt } from '../../erasure/store.ts'
import {
  asKey,
  asMember,
  createApiKey,
  password,
  registerMember,
  runJob,
} from '../../gateway.fixture.ts'
import { codeAt, enrol, stage } from '../../identity/two-factor/two-factor.fixture.ts'
import { addMember, audited, callApi, tokenFor } from '../../organization.fixture.ts'

const DAY_MS = 86_400_000
const settings = { ERASURE_SETTLE_SECONDS: '0' }

t.test('only an owner who reauthenticates can request the deletion', async (t) => {
  const { gateway, database } = await stage(t, settings)
  const owner = await registerMember(gateway)
  const people = { ...gateway, database }
  const admin = await addMember(people, owner, 'ADMIN')
  const { key } = await createApiKey(gateway, owner, ['organization:write'])
  const remove = (headers: Record<string, string>, body: object) =>
    callApi(gateway, 'DELETE /organization', headers, body)
  t.match((await remove(asMember(admin), { password })).json().error.details, {
    reason: 'owner_required',
  })
  t.equal((await remove(asKey(key), { password })).statusCode, 403)
  for (const body of [{}, { password: 'wrong password' }]) {
    const refused = await remove(asMember(owner), body)
    t.equal(refused.statusCode, 400, refused.body)
    t.equal(refused.json().error.details.field, 'password')
  }
  t.equal((await callApi(gateway, 'GET /organization', asMember(owner))).json().deletion, null)
  t.equal((await remove(asMember(owner), { password })).statusCode, 202)
})

t.test(
  'an account with a second factor reauthenticates by a code, not by its password',
  async (t) => {
    const { gateway, clock } = await stage(t, settings)
    const { member, secret } = await enrol(gateway, clock, await registerMember(gateway))
    const byPassword = await callApi(gateway, 'DELETE /organization', asMember(member), {
      password,
    })
    t.equal(byPassword.statusCode, 400)
    t.equal(byPassword.json().error.details.field, 'code')
    const code = codeAt(secret, clock)
    const byCode = await callApi(gateway, 'DELETE /organization', asMember(member), { code })
    t.equal(byCode.statusCode, 202, byCode.body)
  },
)

t.test('the other owners get a mail when it is requested and when it is restored', async (t) => {
  const { gateway, database } = await stage(t, settings)
  const owner = await registerMember(gateway)
  const other = await addMember({ ...gateway, database }, owner, 'OWNER')
  const admin = await addMember({ ...gateway, database }, owner, 'ADMIN')
  await callApi(gateway, 'DELETE /organization', asMember(owner), { password })
  await callApi(gateway, 'DELETE /organization', asMember(owner), { password })
  const byAdmin = await callApi(gateway, 'POST /organization/restore', asMember(admin))
  t.equal(byAdmin.statusCode, 403)
  t.match(byAdmin.json().error.details, { reason: 'owner_required' })
  t.equal((await callApi(gateway, 'POST /organization/restore', asMember(other))).statusCode, 200)
  const warned = await database.batchSql<{ email: string; warning: string }[]>`
    SELECT payload ->> 'email' AS email, payload ->> 'warning' AS warning FROM outbox
    WHERE kind = 'account.warned' ORDER BY seq`
  t.same(
    [...warned],
    [
      { email: other.identity.user.email, warning: 'organization_deletion_requested' },
      { email: owner.identity.user.email, warning: 'organization_deletion_withdrawn' },
    ],
  )
})

t.test('for seven days the deletion is visible, has no effect and can be withdrawn', async (t) => {
  const { gateway, database, clock } = await stage(t, settings)
  const owner = await registerMember(gateway)
  const restore = () => callApi(gateway, 'POST /organization/restore', asMember(owner))
  t.match((await restore()).json().error.details, { reason: 'invalid_state' })
  const requested = await callApi(gateway, 'DELETE /organization', asMember(owner), { password })
  const { requestedAt, deletesAt, requestedBy } = requested.json().deletion
  t.equal(Date.parse(deletesAt) - Date.parse(requestedAt), 7 * DAY_MS)
  t.equal(requestedBy, owner.identity.user.id)
  const again = await callApi(gateway, 'DELETE /organization', asMember(owner), { password })
  t.same(again.json(), requested.json(), 'a repeat does not postpone it')
  clock.advance(6.9 * DAY_MS)
  await runJob(gateway, 'organization-deletion')
  clock.advance(-6.9 * DAY_MS)
  t.equal((await callApi(gateway, 'GET /organization', asMember(owner))).statusCode, 200)
  t.equal((await restore()).json().deletion, null)
  clock.advance(8 * DAY_MS)
  await runJob(gateway, 'organization-deletion')
  clock.advance(-8 * DAY_MS)
  t.equal((await callApi(gateway, 'GET /organization', asMember(owner))).statusCode, 200)
  const actions = (await audited({ ...gateway, database }, owner)).map(({ action }) => action)
  t.same(
    actions.filter((action: string) => action.startsWith('organization.')),
    ['organization.delete', 'organization.update'],
  )
})

/** Requests the deletion and moves the clock past the seven days. */
const deleted = async (t: Test) => {
  const { gateway, database, databases, clock } = await stage(t, settings)
  const owner = await registerMember(gateway, 'Zebra Marker')
  const neighbour = await registerMember(gateway, 'Neighbour')
  const viewer = await addMember({ ...gateway, database }, owner, 'VIEWER')
  const { key } = await createApiKey(gateway, owner, ['components:read'])
  await callApi(gateway, 'PATCH /organization', asMember(owner), { name: 'Zebra Marker' })
  const body = { email: 'zebra-marker@example.com', role: 'VIEWER' }
  await callApi(gateway, 'POST /organization/invitations', asMember(owner), body)
  const role = { name: 'Zebra Marker', permissions: ['COMPONENTS_VIEW'] }
  await callApi(gateway, 'POST /organization/roles', asMember(owner), role)
  await memoryBus([{ database, eventHandlers: gateway.eventHandlers }]).drain()
  await callApi(gateway, 'DELETE /organization', asMember(owner), { password })
  clock.advance(8 * DAY_MS)
  await runJob(gateway, 'organization-deletion')
  clock.advance(-8 * DAY_MS)
  return { gateway, database, databases, owner, viewer, neighbour, key }
}

const eraseAll = async (gateway: Parameters<typeof runJob>[0]) => {
  for (let runs = 0; runs < 40; runs++) await runJob(gateway, 'erasure')
}

const confirmAll = (database: Database, organizationId: string) =>
  transact(database, { organizationId, actor: systemActor }, async (scope) => {
    for (const service of services) await saveReceipt(scope, { service, deletedRows: 1 })
    return { result: null }
  })

t.test('a deletion that fails does not delay the deletion of others', async (t) => {
  const { gateway, database, databases, clock } = await stage(t, settings)
  const administrator = await connect({ url: databases.adminUrl, service: 'gateway' })
  t.teardown(() => administrator.close())
  const [failing, other] = [await registerMember(gateway), await registerMember(gateway)]
  const idOf = ({ identity }: typeof failing) => identity.organization.id as string
  for (const owner of [failing, other]) {
    await callApi(gateway, 'DELETE /organization', asMember(owner), { password })
    clock.advance(1000)
  }
  await administrator.batchSql.unsafe(`
    CREATE FUNCTION gateway.refuse() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN RAISE 'refused'; END $$;
    CREATE TRIGGER refuse BEFORE UPDATE ON gateway.organizations FOR EACH ROW
      WHEN (OLD.id = '${idOf(failing)}') EXECUTE FUNCTION gateway.refuse()`)
  clock.advance(8 * DAY_MS)
  await t.rejects(runJob(gateway, 'organization-deletion'), ItemFailures)
  await administrator.batchSql`DROP TRIGGER refuse ON gateway.organizations`
  const started = async () => {
    const rows = await administrator.batchSql<{ id: string }[]>`
      SELECT id FROM gateway.organizations WHERE deletion_started_at IS NOT NULL`
    return rows.map(({ id }) => id)
  }
  t.same(await started(), [idOf(other)])

  await administrator.batchSql`UPDATE gateway.organizations SET deletion_started_at = now()
    WHERE id = ${idOf(failing)}`
  await eraseAll(gateway)
  for (const owner of [failing, other]) await confirmAll(database, idOf(owner))
  const purged: string[] = []
  const purge = async (organizationId: string) => {
    purged.push(organizationId)
    if (organizationId === idOf(failing)) throw new Error('NATS is not connected')
    return true
  }
  const removal = gateway.jobsWithBus?.({ purge })[0] as Job
  await t.rejects(removal.run(new AbortController().signal), ItemFailures)
  t.same(await started(), [idOf(failing)], 'its messages remain in NATS')
  t.equal(await removal.run(new AbortController().signal), 0)
  t.same(purged.toSorted(), [idOf(failing), idOf(other)].toSorted(), 'the purge is postponed')
})

t.test(
  'an organization whose messages are erased in part is continued by the next run',
  async (t) => {
    const { gateway, database, owner } = await deleted(t)
    await eraseAll(gateway)
    await confirmAll(database, owner.identity.organization.id)
    const results = [false, true]
    const removal = gateway.jobsWithBus?.({ purge: async () => results.shift() ?? true })[0] as Job
    t.equal(await removal.run(new AbortController().signal), 0)
    t.equal(await removal.run(new AbortController().signal), 1)
  },
)

t.test('after seven days no credential is valid and no login succeeds', async (t) => {
  const { gateway, owner, viewer, key } = await deleted(t)
  for (const headers of [asMember(owner), asMember(viewer), asKey(key)]) {
    t.equal((await callApi(gateway, 'GET /auth/me', headers)).statusCode, 401)
    t.equal((await callApi(gateway, 'POST /organization/restore', headers)).statusCode, 401)
  }
  const { email } = owner.identity.user
  t.equal((await callApi(gateway, 'POST /auth/login', {}, { email, password })).statusCode, 401)
})

t.test(
  'the row is deleted last, after the receipts of all services, and no data remains',
  async (t) => {
    const { gateway, database, databases, owner, neighbour } = await deleted(t)
    const organizationId = owner.identity.organization.id
    const removal = gateway.jobsWithBus?.({ purge: async () => true })[0]
    const remove = () => removal?.run(new AbortController().signal)
    await eraseAll(gateway)
    await memoryBus([{ database, eventHandlers: gateway.eventHandlers }]).drain()
    t.equal(await remove(), 0, 'the others have not given theirs')
    await confirmAll(database, organizationId)
    t.equal(await remove(), 1)
    const text = await textOfSchema(databases.adminUrl, 'gateway')
    t.notMatch(text, /zebra/i)
    t.notMatch(text, owner.identity.user.email)
    t.match(text, neighbour.identity.user.email, 'the neighbour is whole')
    t.equal((await callApi(gateway, 'GET /organization', asMember(neighbour))).statusCode, 200)
  },
)

t.test('an account with another membership is not deleted', async (t) => {
  const { gateway, database, clock } = await stage(t, settings)
  const [owner, other] = [await registerMember(gateway), await registerMember(gateway)]
  const { email } = other.identity.user
  const body = { email, role: 'MEMBER' }
  await callApi(gateway, 'POST /organization/invitations', asMember(owner), body)
  const token = await tokenFor({ ...gateway, database }, email)
  await callApi(gateway, 'POST /auth/invitations/accept', asMember(other), { token })
  await callApi(gateway, 'DELETE /organization', asMember(owner), { password })
  clock.advance(8 * DAY_MS)
  await runJob(gateway, 'organization-deletion')
  clock.advance(-8 * DAY_MS)
  await eraseAll(gateway)
  const entered = await callApi(gateway, 'POST /auth/login', {}, { email, password })
  t.equal(entered.statusCode, 200, entered.body)
  t.equal(entered.json().organization.id, other.identity.organization.id)
})
