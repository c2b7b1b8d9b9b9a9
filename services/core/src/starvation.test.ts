/**
 * A hundred items that always fail, at the head of due work, delay no item of another organization.
 */
import { incidentOperations } from '@status-page/contracts'
import { connect, ItemFailures, type Job } from '@status-page/postgres'
import t from 'tap'
import { coreKit } from './core.fixture.ts'
import { organizationOn } from './incidents/incidents.fixture.ts'
import { oncallScenario } from './oncall/oncall.fixture.ts'

const kit = await coreKit(t)
const MINUTE_MS = 60_000
const COPIES = 100

const administrator = await connect({ url: kit.adminUrl, service: 'core' })
t.teardown(() => administrator.close())

/** Copies the organization's only row of a table, and makes each change of a copy fail. */
const failAll = async (table: string, organizationId: string, changes: string) => {
  const columns = await administrator.batchSql<{ name: string }[]>`
    SELECT quote_ident(column_name) AS name FROM information_schema.columns
    WHERE table_schema = 'core' AND table_name = ${table} AND is_generated = 'NEVER'`
  const names = columns.map(({ name }) => name)
  const values = names.map((name) => `(jsonb_populate_record(r, ${changes})).${name}`)
  await administrator.batchSql.unsafe(`
    INSERT INTO core.${table} (${names.join()}) SELECT ${values.join()}
      FROM core.${table} r, generate_series(1, ${COPIES}) WHERE organization_id = '${organizationId}';
    CREATE FUNCTION core.refuse_${table}() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN RAISE 'refused'; END $$;
    CREATE TRIGGER refuse BEFORE UPDATE ON core.${table} FOR EACH ROW
      WHEN (OLD.organization_id = '${organizationId}') EXECUTE FUNCTION core.refuse_${table}()`)
}

const workOf = (name: string) => kit.jobs.find((one) => one.name === name) as Job
const run = (name: string) => workOf(name).run(new AbortController().signal)

t.test('overdue updates of a failing organization do not delay others', async (t) => {
  const [failing, healthy] = [organizationOn(kit), organizationOn(kit)]
  for (const [one, minutes] of [
    [failing, 10],
    [healthy, 20],
  ] as const) {
    const { id } = await one.open({})
    const at = Date.now() + kit.clock.offsetMs() + minutes * MINUTE_MS
    const body = { nextUpdateAt: new Date(at).toISOString() }
    await one.request(incidentOperations.update, { params: { id }, body })
    await one.emitted()
  }
  await failAll('incidents', failing.organizationId, "jsonb_build_object('id', gen_random_uuid())")
  kit.clock.advance(30 * MINUTE_MS)
  await t.rejects(run('overdue incident updates'), ItemFailures)
  t.same((await healthy.emitted()).events, [])
  await t.rejects(run('overdue incident updates'), ItemFailures)
  t.match((await healthy.emitted()).events, [{ kind: 'incident.update-overdue' }])
})

t.test('escalations of a failing organization do not delay others', async (t) => {
  const [failing, healthy] = [await oncallScenario(kit), await oncallScenario(kit)]
  for (const one of [failing, healthy]) {
    await one.schedule({
      escalation: [{ delayMinutes: 5, targets: ['schedule'] }],
    })
    await one.reportDown(await one.component('API'))
    await one.takeNotifications()
    kit.clock.advance(1000)
  }
  const copy = "jsonb_build_object('id', gen_random_uuid(), 'dedup_key', gen_random_uuid())"
  await failAll('oncall_alerts', failing.organizationId, copy)
  kit.clock.advance(5 * MINUTE_MS)
  await t.rejects(run('oncall-escalation'), ItemFailures)
  await t.rejects(run('oncall-escalation'), ItemFailures)
  t.same(await healthy.takeNotifications(), ['escalated Ana'])
})
