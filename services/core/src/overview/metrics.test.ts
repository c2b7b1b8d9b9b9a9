/** Metrics of open work: all organizations are counted, and finished work is not. */
import { incidentOperations } from '@status-page/contracts'
import { createMetrics } from '@status-page/service'
import postgres from 'postgres'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'
import { openWorkMetrics } from './metrics.ts'

const kit = await coreKit(t)
const admin = postgres(kit.adminUrl, { max: 1, onnotice: () => {} })
t.teardown(() => admin.end())

const readValues = async (): Promise<Record<string, number>> => {
  const metrics = createMetrics()
  await openWorkMetrics(metrics, kit.database).run(new AbortController().signal)
  const lines = (await metrics.registry.metrics()).split('\n')
  const values = lines.filter((line) => /^(incident|oncall)/.test(line))
  return Object.fromEntries(values.map((line) => line.split(' ')).map(([k, v]) => [k, Number(v)]))
}

t.test('without open work every metric is 0', async (t) => {
  const values = await readValues()
  t.equal(Object.keys(values).length, 8)
  for (const [name, value] of Object.entries(values)) t.equal(value, 0, name)
})

t.test('open work of all organizations is counted, with the age of the oldest', async (t) => {
  const open = async (impact: string) => {
    const body = { title: 'Down', message: 'One.', impact }
    const { body: incident } = await kit.as().request(incidentOperations.create, { body })
    return String(incident.id)
  }
  const overdue = await open('critical')
  const resolved = await open('critical')
  await open('minor')
  await admin`UPDATE core.incidents SET next_update_at = now() - interval '1 hour'
    WHERE id = ${overdue}`
  await admin`UPDATE core.incidents SET status = 'resolved', resolved_at = now()
    WHERE id = ${resolved}`
  for (const [status, age] of [
    ['triggered', '10 minutes'],
    ['triggered', '5 minutes'],
    ['acknowledged', '20 minutes'],
  ] as const) {
    await admin`
      INSERT INTO core.oncall_alerts (id, organization_id, version, schedule_id, schedule_name,
        status, title, severity, source, dedup_key, since, assigned_user_ids, escalation_level,
        count, no_responder, triggered_at, created_at, updated_at)
      VALUES (gen_random_uuid(), gen_random_uuid(), 1, gen_random_uuid(), 'Primary', ${status},
        'Down', 'critical', 'monitor', 'key', now(), '{}', 0, 1, false,
        now() - ${age}::interval, now(), now())`
  }
  for (const publishIn of ['-1 minute', '5 minutes', null]) {
    await admin`
      INSERT INTO core.incident_drafts (id, organization_id, version, status, title, message,
        impact, component_ids, started_at, integration_id, publish_at, notes, created_at, updated_at)
      VALUES (gen_random_uuid(), gen_random_uuid(), 1, 'waiting', 'Down', 'One.', 'minor', '{}',
        now(), gen_random_uuid(), now() + ${publishIn}::interval, '[]', now(), now())`
  }
  const { updateAge, alertAge, draftAge, counts } = grouped(await readValues())
  t.same(counts, {
    incidents_open: 2,
    incidents_open_critical: 1,
    incidents_update_overdue: 1,
    oncall_alerts_unacknowledged: 2,
    incident_drafts_scheduled: 2,
  })
  t.ok(updateAge >= 3_600 && alertAge >= 600 && alertAge < 1_200 && draftAge >= 60)
})

const grouped = ({
  incidents_update_overdue_seconds: updateAge = 0,
  oncall_alerts_unacknowledged_age_seconds: alertAge = 0,
  incident_drafts_due_age_seconds: draftAge = 0,
  ...counts
}: Record<string, number>) => ({ updateAge, alertAge, draftAge, counts })
