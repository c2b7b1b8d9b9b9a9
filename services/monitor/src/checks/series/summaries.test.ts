/** Summaries of components: batched, one event per organization, from the hourly summaries. */
import { newId } from '@status-page/postgres'
import { httpTarget, testDatabase } from '@status-page/testing'
import t from 'tap'
import {
  adminOf,
  component,
  endpoint,
  manualClock,
  pass,
  setup,
  startReplica,
} from '../../monitor.fixture.ts'
import { createSummaryPublisher } from './summaries.ts'

// Keeps the test server running for the whole file; releasing the last database stops it.
await testDatabase(t, { services: [] })

const MINUTE = 60_000

t.test('each organization gets one event for all checks since the previous one', async (t) => {
  const { publishComponent, database } = await setup(t)
  const summaries = createSummaryPublisher(database)
  const clock = manualClock()
  const good = await httpTarget(t)
  const bad = await httpTarget(t, { status: 500 })
  const [first, second] = [newId(), newId()]
  const up = component({ endpoint: endpoint(good.url) })
  const down = component({ endpoint: endpoint(bad.url) })
  const other = component({ endpoint: endpoint(good.url) })
  await publishComponent(first, 'created', up, 1)
  await publishComponent(first, 'created', down, 1)
  await publishComponent(second, 'created', other, 1)
  const replica = await startReplica(t, database, clock, { onStored: summaries.add })
  await pass(clock, [replica], MINUTE)
  await pass(clock, [replica], MINUTE)
  const signal = new AbortController().signal
  const rollups = replica.jobs.find(({ name }) => name === 'rollups')
  await rollups?.run(signal)
  t.equal(await summaries.job.run(signal), 0)
  await summaries.job.run(signal)

  const events = await database.batchSql<
    {
      organization_id: string
      payload: { components: { id: string; averageResponseTime: number | null }[] }
    }[]
  >`SELECT organization_id, payload FROM outbox WHERE kind = 'check.summarised'`
  t.same(new Set(events.map(({ organization_id }) => organization_id)), new Set([first, second]))
  t.equal(events.length, 2, 'no new checks, no event')
  const components = new Map(
    events.flatMap(({ payload }) => payload.components.map((one) => [one.id, one] as const)),
  )
  t.equal(components.size, 3)
  t.equal(components.get(down.id)?.averageResponseTime, null, 'no successful check')
  t.type(components.get(up.id)?.averageResponseTime, 'number')
})

t.test('a summary that fails to publish is retried and delays no other', async (t) => {
  const { database, adminUrl } = await setup(t)
  const sql = await adminOf(t, adminUrl)
  const summaries = createSummaryPublisher(database)
  const [failing, fine] = [newId(), newId()]
  for (const organizationId of [failing, fine]) {
    summaries.add({ organizationId, componentId: newId() }, Date.now())
  }
  await sql.unsafe(`
    CREATE FUNCTION monitor.refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE 'refused'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON monitor.outbox FOR EACH ROW
      WHEN (NEW.organization_id = '${failing}') EXECUTE FUNCTION monitor.refuse()`)
  const signal = new AbortController().signal
  await t.rejects(summaries.job.run(signal))
  await t.rejects(summaries.job.run(signal))
  const events = async () =>
    (await sql`SELECT organization_id AS id FROM monitor.outbox ORDER BY seq`).map(({ id }) => id)
  t.same(await events(), [fine])
  await sql.unsafe('DROP TRIGGER refuse ON monitor.outbox')
  await summaries.job.run(signal)
  t.same(await events(), [fine, failing])
})
