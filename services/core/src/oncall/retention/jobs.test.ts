/** Retention of alerts and overrides: reports still find what they need, older rows are deleted. */
import { oncallScheduleOperations as on, oncallAlertOperations } from '@status-page/contracts'
import { connect } from '@status-page/postgres'
import t from 'tap'
import { coreKit } from '../../core.fixture.ts'
import { oncallScenario } from '../oncall.fixture.ts'

const kit = await coreKit(t)

const HOUR_MS = 3_600_000
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString()

t.test('alerts and overrides are deleted 13 months after their end, open ones never', async (t) => {
  const { ana, schedule, component, reportDown, reportRecovered, alerts, request } =
    await oncallScenario(kit)
  const { id } = await schedule()
  const [gone, kept, open] = [await component('A'), await component('B'), await component('C')]
  for (const one of [gone, kept, open]) await reportDown(one)
  for (const one of [gone, kept]) await reportRecovered(one)
  const override = async (hours: number) => {
    const body = { userId: ana.userId, startsAt: inHours(hours), endsAt: inHours(hours + 1) }
    return (await request(on.addOverride, { params: { id }, body })).body.id
  }
  const [ended, recent, coming] = [await override(1), await override(3), await override(5)]
  const administrator = await connect({ url: kit.adminUrl, service: 'core' })
  t.teardown(() => administrator.close())
  const { batchSql: sql } = administrator
  const months = (count: number) => sql`now() - make_interval(months => ${count})`
  await sql`UPDATE core.oncall_alerts SET triggered_at = ${months(40)}`
  await sql`UPDATE core.oncall_alerts SET resolved_at = ${months(14)} WHERE component_id = ${gone}`
  await sql`UPDATE core.oncall_alerts SET resolved_at = ${months(12)} WHERE component_id = ${kept}`
  const ends = [
    [ended, 14],
    [recent, 12],
  ] as const
  for (const [one, count] of ends) {
    await sql`UPDATE core.oncall_overrides SET starts_at = ${months(count + 1)},
      ends_at = ${months(count)} WHERE id = ${one}`
  }

  const works = kit.jobs.filter(({ name }) => name.startsWith('retention-oncall-'))
  const run = () => Promise.all(works.map((work) => work.run(new AbortController().signal)))
  t.same(await run(), [1, 1])
  t.same(await run(), [0, 0])
  t.same(
    new Set((await alerts()).map((alert: { componentId: string }) => alert.componentId)),
    new Set([kept, open]),
  )
  const left = await sql`SELECT id FROM core.oncall_overrides`
  t.same(new Set(left.map((row) => row.id)), new Set([recent, coming]))
  const all = await request(oncallAlertOperations.list, {})
  t.equal(all.body.meta.total, 2)
})
