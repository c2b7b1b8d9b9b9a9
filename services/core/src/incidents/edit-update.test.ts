/** Posted updates can be edited and deleted; no event is published, and nothing else changes. */
import { incidentOperations as on } from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'
import { organizationOn } from './incidents.fixture.ts'

const kit = await coreKit(t)

/** Creates an incident with two updates, oldest first. */
const twice = async () => {
  const one = organizationOn(kit)
  const { id } = await one.open({ message: 'first' })
  const params = { id }
  await one.request(on.addUpdate, { params, body: { message: 'second', status: 'identified' } })
  const read = async () => {
    const { body } = await one.request(on.read, { params, query: { include: 'updates' } })
    return body
  }
  const [second, first] = (await read()).updates as { id: string; displayAt: string }[]
  await one.emitted()
  return { ...one, id, read, first: first as { id: string }, second: second as { id: string } }
}

t.test('an edit of the newest update also changes the message of the incident', async (t) => {
  const { request, id, first, second, read, emitted } = await twice()
  const correct = (updateId: string, message: string) =>
    request(on.amendUpdate, { params: { id, updateId }, body: { message } })
  const older = await correct(first.id, 'FIRST')
  t.equal(older.status, 200)
  t.match(older.body, {
    id: first.id,
    message: 'FIRST',
    incident: { message: 'second', version: 3 },
  })
  const newer = await correct(second.id, 'SECOND')
  t.match(newer.body, { status: 'identified', incident: { message: 'SECOND', version: 4 } })
  t.same(await emitted(), {
    events: [],
    audit: ['incident_update.update', 'incident_update.update'],
  })
  const emptied = await correct(second.id, '')
  t.equal(emptied.body.incident.message, 'FIRST', 'of the newest update with a message')
  t.match(await read(), { status: 'identified', updates: [{ message: '' }, { message: 'FIRST' }] })
})

t.test('the displayed time can change, but not into the future; the order stays', async (t) => {
  const { request, id, first, second, read } = await twice()
  const move = (updateId: string, displayAt: string | null) =>
    request(on.amendUpdate, { params: { id, updateId }, body: { displayAt } as never })
  const past = '2026-01-01T00:00:00.000Z'
  t.equal((await move(second.id, '2026-01-01T01:00:00+01:00')).body.displayAt, past)
  t.match(await read(), { updates: [{ id: second.id, displayAt: past }, { id: first.id }] })
  for (const displayAt of ['2999-01-01T00:00:00Z', 'yesterday', null]) {
    const { status, body } = await move(first.id, displayAt)
    t.equal(status, 400)
    t.equal(body.error.details.field, 'displayAt')
  }
})

t.test('an edit without effect changes nothing', async (t) => {
  const { request, id, second, read, emitted } = await twice()
  const before = await read()
  const { message, displayAt } = before.updates[0]
  const params = { id, updateId: second.id }
  for (const body of [{}, { message, displayAt }]) {
    const response = await request(on.amendUpdate, { params, body })
    t.equal(response.status, 200)
    t.equal(response.body.incident.version, before.version)
  }
  t.same(await read(), before)
  t.same(await emitted(), { events: [], audit: [] })
})

t.test('an update can be deleted, except the only one', async (t) => {
  const { request, id, first, second, read, emitted } = await twice()
  const remove = (updateId: string) => request(on.removeUpdate, { params: { id, updateId } })
  t.same((await remove(second.id)).body, { success: true })
  t.match(await read(), { message: 'first', status: 'identified', version: 3 })
  t.equal((await remove(second.id)).status, 404)
  const last = await remove(first.id)
  t.equal(last.status, 409)
  t.equal(last.body.error.details.reason, 'invalid_state')
  t.same(await emitted(), { events: [], audit: ['incident_update.delete'] })
  const next = await request(on.addUpdate, { params: { id }, body: { message: 'third' } })
  t.equal(next.body.incident.version, 4, 'a version is never used twice')
})

t.test('edits honour If-Match, and reach only updates of the incident', async (t) => {
  const one = await twice()
  const other = await one.open({})
  const operations = [on.amendUpdate, on.removeUpdate]
  for (const operation of operations) {
    const asked = { body: operation === on.amendUpdate ? { message: 'x' } : undefined }
    const at = (id: string, updateId: string, headers = {}) =>
      one.request(operation, { params: { id, updateId }, ...asked, headers })
    t.equal((await at(one.id, one.first.id, { 'if-match': '"1"' })).status, 409)
    for (const [id, updateId] of [
      [other.id, one.first.id],
      [one.id, newId()],
      [one.id, 'nonsense'],
      [newId(), one.first.id],
    ] as const) {
      t.equal((await at(id, updateId)).status, 404)
    }
    const params = { id: one.id, updateId: one.first.id }
    t.equal((await organizationOn(kit).request(operation, { params, ...asked })).status, 404)
  }
  t.equal((await one.read()).version, 2)
})
