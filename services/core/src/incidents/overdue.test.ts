/** Overdue updates are published once, however many replicas run the job. */
import { incidentOperations as on } from '@status-page/contracts'
import { connect, type Job } from '@status-page/postgres'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'
import { organizationOn } from './incidents.fixture.ts'

const kit = await coreKit(t)
const MINUTE_MS = 60_000

const workOf = (due: readonly Job[]) =>
  due.find(({ name }) => name === 'overdue incident updates') as Job
const run = (work: Job) => work.run(new AbortController().signal)
const replica = await kit.replica()
const [ours, theirs] = [workOf(kit.jobs), workOf(replica.jobs)]

/** Computed from the shifted clock of the test. */
const inMinutes = (count: number) =>
  new Date(Date.now() + kit.clock.offsetMs() + count * MINUTE_MS).toISOString()

t.test('an overdue update is reported once, and so is the next one', async (t) => {
  const { request, open, emitted } = organizationOn(kit)
  const { id } = await open({})
  const params = { id }
  const promise = async () => {
    const nextUpdateAt = inMinutes(30)
    const { status, body } = await request(on.update, { params, body: { nextUpdateAt } })
    t.equal(status, 200)
    t.match(body, { nextUpdateAt, isUpdateOverdue: false })
    await emitted()
    return body
  }
  const promised = await promise()
  t.equal(await run(ours), 0)
  kit.clock.advance(30 * MINUTE_MS)
  const missed = (await request(on.read, { params })).body
  t.match(missed, { isUpdateOverdue: true, version: promised.version })
  const counts = await Promise.all([run(ours), run(theirs), run(ours), run(theirs)])
  t.equal(
    counts.reduce((sum, count) => sum + count),
    1,
  )
  const { events, audit } = await emitted()
  t.same(audit, [])
  t.match(events, [{ kind: 'incident.update-overdue', version: promised.version + 1 }])
  t.match(events[0]?.data.incident, {
    nextUpdateAt: promised.nextUpdateAt,
    notifySubscribers: false,
  })
  t.match((await request(on.read, { params })).body, {
    isUpdateOverdue: true,
    version: promised.version + 1,
    updatedAt: promised.updatedAt,
  })
  await promise()
  kit.clock.advance(31 * MINUTE_MS)
  t.equal(await run(theirs), 1)
  t.equal(await run(theirs), 0)
})

t.test('an incident whose change fails delays no incident of another organization', async (t) => {
  const [failing, healthy] = [organizationOn(kit), organizationOn(kit)]
  const ids: string[] = []
  for (const one of [failing, healthy]) {
    const { id } = await one.open({})
    const body = { nextUpdateAt: inMinutes(30 + ids.length) }
    await one.request(on.update, { params: { id }, body })
    await one.emitted()
    ids.push(id)
  }
  const administrator = await connect({ url: kit.adminUrl, service: 'core' })
  t.teardown(() => administrator.close())
  await administrator.batchSql.unsafe(`
    CREATE FUNCTION core.refuse() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN RAISE 'refused'; END $$;
    CREATE TRIGGER refuse BEFORE UPDATE ON core.incidents FOR EACH ROW
      WHEN (NEW.id = '${ids[0]}' AND NEW.overdue_notified) EXECUTE FUNCTION core.refuse()`)
  kit.clock.advance(40 * MINUTE_MS)
  await t.rejects(run(ours), /Failed query: update/)
  t.match((await healthy.emitted()).events, [{ kind: 'incident.update-overdue' }])
  t.same((await failing.emitted()).events, [])
  await administrator.batchSql.unsafe('DROP TRIGGER refuse ON core.incidents')
  t.equal(await run(theirs), 1, 'another replica retries the failed one at once')
})

t.test('an update in time, a resolution or a deletion prevents the overdue event', async (t) => {
  const { request, open, emitted } = organizationOn(kit)
  const ids = []
  for (const _one of [1, 2, 3]) {
    const { id } = await open({})
    const nextUpdateAt = inMinutes(30)
    await request(on.update, { params: { id }, body: { nextUpdateAt } })
    ids.push(id)
  }
  const [updated, resolved, deleted] = ids as [string, string, string]
  const posted = await request(on.addUpdate, { params: { id: updated }, body: { message: 'x' } })
  t.equal(posted.body.incident.nextUpdateAt, null)
  const over = await request(on.update, { params: { id: resolved }, body: { status: 'resolved' } })
  t.equal(over.body.nextUpdateAt, null)
  await request(on.remove, { params: { id: deleted } })
  await emitted()
  kit.clock.advance(60 * MINUTE_MS)
  t.equal(await run(ours), 0)
  t.same(await emitted(), { events: [], audit: [] })
})

t.test('the next update is set on creation, with an update and on reopening', async (t) => {
  const { request, open } = organizationOn(kit)
  const { id, nextUpdateAt: none } = await open({})
  t.equal(none, null)
  const params = { id }
  const nextUpdateAt = inMinutes(30)
  t.equal((await open({ nextUpdateAt })).nextUpdateAt, nextUpdateAt)
  const posted = await request(on.addUpdate, { params, body: { message: 'x', nextUpdateAt } })
  t.equal(posted.body.incident.nextUpdateAt, nextUpdateAt)
  const ended = await request(on.update, { params, body: { status: 'resolved', nextUpdateAt } })
  t.equal(ended.status, 400)
  t.equal(ended.body.error.details.field, 'nextUpdateAt')
  await request(on.update, { params, body: { status: 'resolved' } })
  const again = await request(on.reopen, { params, body: { nextUpdateAt } })
  t.equal(again.body.nextUpdateAt, nextUpdateAt)
  t.equal(
    (await request(on.update, { params, body: { nextUpdateAt: null } })).body.nextUpdateAt,
    null,
  )
})
