/** Updates in lists and on pages are limited in bytes, whatever a tenant wrote. */
import {
  incidentOperations,
  maintenanceOperations,
  publicOperations,
  statusPageOperations,
  systemActor,
} from '@status-page/contracts'
import { newId, transact } from '@status-page/postgres'
import { sql } from 'drizzle-orm'
import t from 'tap'
import { coreKit } from './core.fixture.ts'
import { organizationOn } from './incidents/incidents.fixture.ts'
import { DAY, organizationOn as maintenancesOn } from './maintenances/maintenances.fixture.ts'

const kit = await coreKit(t)

/** Four bytes in UTF-8; 25,000 of them are 100 kB. */
const LONG_CHARACTER = '\u{1F300}'
const LONG = LONG_CHARACTER.repeat(25_000)
const MAX_SHOWN_BYTES = 4 * 1024 * 1024

interface Parents {
  organizationId: string
  ids: readonly string[]
}

/** Copies the only update of each parent, bypassing the API. */
const repeatUpdates = (
  { organizationId, ids }: Parents,
  kind: 'incident' | 'maintenance',
  count: number,
): Promise<unknown> =>
  transact(kit.database, { organizationId, actor: systemActor }, async ({ tx }) => {
    const [table, parent] = [sql.raw(`${kind}_updates`), sql.raw(`${kind}_id`)]
    const version = sql.raw(`${kind}_version`)
    await tx.execute(sql`
      INSERT INTO ${table}
      SELECT copied.* FROM ${table} AS stored, generate_series(1, ${count}) AS number,
        jsonb_populate_record(stored, jsonb_build_object('id', gen_random_uuid(),
          ${`${kind}_version`}::text, stored.${version} + number,
          'message', repeat(${LONG_CHARACTER}, 25000))) AS copied
      WHERE stored.${parent} = ANY(${sql.param([...ids])}::uuid[])`)
    return { result: undefined }
  })

const bytesOf = (updates: readonly { message: string }[]) =>
  updates.reduce((sum, { message }) => sum + Buffer.byteLength(message), 0)

t.test('a list with more updates than fit a response is refused with pageSize', async (t) => {
  const { request, open, organizationId } = organizationOn(kit)
  const ids = [(await open({ message: 'One.' })).id, (await open({ message: 'Two.' })).id]
  await repeatUpdates({ organizationId, ids }, 'incident', 90)
  const list = (pageSize: number) =>
    request(incidentOperations.list, { query: { include: 'updates', pageSize } as never })
  const refused = await list(2)
  t.equal(refused.status, 400)
  t.match(refused.body.error.details.issues, [
    { field: 'pageSize', message: /this page takes 18 MiB; a response has at most 16 MiB$/ },
  ])
  const { status, body } = await list(1)
  t.equal(status, 200)
  t.equal(body.data[0].updates.length, 91, 'one incident has all its updates')
  const params = { id: ids[0] as string }
  const one = await request(incidentOperations.read, {
    params,
    query: { include: 'updates' } as never,
  })
  t.equal(one.body.updates.length, 91)
})

t.test('the list of maintenances has the same bound', async (t) => {
  const { request, schedule, organizationId } = maintenancesOn(kit)
  const plan = () => schedule(DAY, 2 * DAY, { message: 'For all.' })
  const ids = [(await plan()).id, (await plan()).id]
  await repeatUpdates({ organizationId, ids }, 'maintenance', 90)
  const list = (pageSize: number) =>
    request(maintenanceOperations.list, { query: { include: 'updates', pageSize } as never })
  t.match((await list(2)).body.error.details.issues, [{ field: 'pageSize', message: /16 MiB$/ }])
  t.equal((await list(1)).body.data[0].updates.length, 91)
})

t.test('public responses have the newest updates of each incident and maintenance', async (t) => {
  const { request, open, organizationId } = organizationOn(kit)
  const slug = `s-${newId().slice(-12)}`
  await request(statusPageOperations.create, { body: { name: 'Acme', slug, isPublished: true } })
  const ids = [(await open({ message: 'One.' })).id, (await open({ message: 'Two.' })).id]
  await repeatUpdates({ organizationId, ids }, 'incident', 60)
  const inDays = (days: number) => new Date(Date.now() + days * DAY).toISOString()
  const plan = { title: 'DB', message: 'x', scheduledFor: inDays(1), scheduledUntil: inDays(2) }
  const planned = await request(maintenanceOperations.create, { body: plan })
  await repeatUpdates({ organizationId, ids: [planned.body.id] }, 'maintenance', 60)
  const { body } = await kit.request(publicOperations.status, { params: { slug } })
  const counts = body.activeIncidents.map(({ updates }: { updates: [] }) => updates.length)
  t.same(counts, [21, 20], 'shared fairly, the newer incident first')
  const listed = body.activeIncidents.flatMap(({ updates }: { updates: [] }) => updates)
  t.ok(bytesOf(listed) <= MAX_SHOWN_BYTES)
  t.equal(body.activeIncidents[0].updates[0].message, LONG, 'newest first')
  t.equal(body.maintenances.upcoming[0].updates.length, 41)
  const one = await kit.request(publicOperations.incident, {
    params: { slug, id: ids[0] as string },
  })
  t.equal(one.body.updates.length, 41, 'a single incident has the same limit')
})
