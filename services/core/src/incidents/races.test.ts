/**
 * Concurrent requests over two replicas: none is lost, none is applied twice, and all are ordered.
 */
import {
  componentOperations,
  draftEvent,
  maintenanceOperations,
  monitorDown,
  incidentOperations as on,
  publicOperations,
  statusPageOperations,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { eventually, inject } from '@status-page/testing'
import postgres from 'postgres'
import t, { type Test } from 'tap'
import { coreKit } from '../core.fixture.ts'
import { organizationOn } from './incidents.fixture.ts'

const kit = await coreKit(t)
const replica = await kit.replica()

t.test('50 concurrent updates all succeed, each with its own version', async (t) => {
  const { caller, open, emitted, request } = organizationOn(kit)
  const { id } = await open({})
  await emitted()
  const messages = Array.from({ length: 50 }, (_none, index) => `m${index}`)
  const post = (message: string, index: number) =>
    // A client repeats a request that the service refuses because it is busy.
    eventually(
      async () => {
        const { http } = index % 2 === 0 ? kit : replica
        const response = await inject(http, on.addUpdate, {
          caller,
          params: { id },
          body: { message },
        })
        return response.status !== 503 && response
      },
      { timeoutMs: 60_000 },
    )
  const responses = await Promise.all(messages.map(post))
  t.ok(responses.every(({ status }) => status === 201))
  const { events } = await emitted()
  t.same(
    events.map(({ version }) => version),
    messages.map((_message, index) => index + 2),
  )
  const { body } = await request(on.read, { params: { id }, query: { include: 'updates' } })
  t.equal(body.version, 51)
  const shown = body.updates.map(({ message }: { message: string }) => message).reverse()
  t.same(
    shown,
    ['', ...events.map(({ data }) => data.incident.message)],
    'displayed in the order of their versions',
  )
  t.same(shown.toSorted(), ['', ...messages].toSorted())
})

t.test('of concurrent requests with the same If-Match one succeeds', async (t) => {
  const { caller, open, request } = organizationOn(kit)
  const { id } = await open({})
  const posts = Array.from({ length: 10 }, (_none, index) =>
    inject(index % 2 === 0 ? kit.http : replica.http, on.addUpdate, {
      caller,
      params: { id },
      body: { message: `m${index}` },
      headers: { 'if-match': '"1"' },
    }),
  )
  const statuses = (await Promise.all(posts)).map(({ status }) => status)
  t.same(statuses.toSorted(), [201, ...Array.from({ length: 9 }, () => 409)])
  t.equal((await request(on.read, { params: { id } })).body.version, 2)
})

t.test('the same request sent twice concurrently opens one incident', async (t) => {
  const { request, caller } = organizationOn(kit)
  const asked = { body: { title: 'Once' }, headers: { 'idempotency-key': 'one-key' } }
  const first = await request(on.create, asked)
  const second = await inject(replica.http, on.create, { caller, ...asked })
  t.equal(first.status, 201)
  t.equal(second.status, 201)
  t.same(second.body, first.body)
  t.equal(second.headers['idempotent-replayed'], 'true')
  t.equal((await request(on.list)).body.meta.total, 1)
  const other = await request(on.create, { ...asked, body: { title: 'Twice' } })
  t.equal(other.status, 409)
})

const endpoint = { type: 'ENDPOINT', url: 'https://93.184.215.14/', autoCreateIncident: true }

t.test(
  'components that fail together open one incident, whichever replica handles the events',
  async (t) => {
    const { request, organizationId } = organizationOn(kit)
    const create = async (name: string, more = {}) => {
      const response = await request(componentOperations.create, {
        body: { ...endpoint, name, ...more },
      })
      return response.body.id as string
    }
    const parent = await create('Parent')
    const family = [parent]
    for (const name of ['A', 'B', 'C'])
      family.push(await create(name, { parentComponentId: parent }))
    const apart = await create('Apart')
    for (const componentId of [...family, apart]) {
      const monitor = {
        componentId,
        name: 'x',
        derivedStatus: 'major_outage' as const,
        reason: null,
        since: new Date().toISOString(),
      }
      const event = draftEvent(monitorDown, { id: componentId, version: 1 }, { monitor })
      await kit.publish('monitor', organizationId, event)
    }
    await Promise.all([kit.drain(), replica.drain()])
    const { body } = await request(on.list, { query: { status: 'investigating' } })
    const listed = body.data.map(({ components }: { components: { id: string }[] }) =>
      components.map(({ id }) => id).toSorted(),
    )
    t.equal(listed.length, 2)
    t.same(new Set(listed.map(String)), new Set([family.toSorted(), [apart]].map(String)))
  },
)

/** Creates a page that shows one component, with an open incident. */
const incidentOnPage = async () => {
  const organization = organizationOn(kit)
  const [componentId, slug] = [await organization.component('API'), `page-${newId()}`]
  const body = { name: 'Status', slug, isPublished: true }
  await organization.request(statusPageOperations.create, { body })
  const { id } = await organization.open({ componentIds: [componentId] })
  const listedIds = async () => {
    const { body } = await organization.request(publicOperations.incidents, { params: { slug } })
    return body.data.map((incident: { id: string }) => incident.id)
  }
  const removal = () =>
    organization.request(componentOperations.remove, { params: { id: componentId } })
  return { ...organization, componentId, id, slug, listedIds, removal }
}

/** Runs the work in a transaction of a session of its own. */
const inOtherSession = async (
  t: Test,
  work: (
    tx: postgres.TransactionSql,
    waiting: (count: number) => Promise<unknown>,
  ) => Promise<void>,
) => {
  const other = postgres(kit.adminUrl, { max: 1, onnotice: () => {} })
  t.teardown(() => other.end({ timeout: 1 }))
  await other.begin((tx) =>
    work(tx, (count) =>
      eventually(async () => {
        const sessions = await kit.database.batchSql`
          SELECT FROM pg_stat_activity WHERE cardinality(pg_blocking_pids(pid)) > 0`
        return sessions.length === count
      }),
    ),
  )
}

t.test(
  'an incident that changes during the deletion of its component stays on its pages',
  async (t) => {
    const { componentId, id, request, listedIds, removal } = await incidentOnPage()
    const pending: ReturnType<typeof request>[] = []
    await inOtherSession(t, async (tx, waiting) => {
      await tx`SELECT FROM core.components WHERE id = ${componentId} FOR UPDATE`
      pending.push(request(on.addUpdate, { params: { id }, body: { message: 'Slow.' } }))
      await waiting(1)
      pending.push(removal())
      await waiting(2)
      await t.resolves(
        tx`SELECT FROM core.incident_components WHERE incident_id = ${id} FOR UPDATE NOWAIT`,
        'the deletion locks nothing that the update needs',
      )
    })
    t.same(
      (await Promise.all(pending)).map(({ status }) => status),
      [201, 200],
    )
    t.same(await listedIds(), [id])
  },
)

t.test(
  'an incident and a maintenance created during the deletion of their component stay on its pages',
  async (t) => {
    const { componentId, request, listedIds, removal, slug } = await incidentOnPage()
    const pending: ReturnType<typeof request>[] = []
    await inOtherSession(t, async (tx, waiting) => {
      await tx`SELECT FROM core.components WHERE id = ${componentId} FOR UPDATE`
      const componentIds = [componentId]
      pending.push(request(on.create, { body: { title: 'Slow', componentIds } }))
      await waiting(1)
      const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
      const body = {
        title: 'Upgrade',
        scheduledFor: inDays(1),
        scheduledUntil: inDays(2),
        componentIds,
      }
      pending.push(request(maintenanceOperations.create, { body }))
      await waiting(2)
      pending.push(removal())
      await waiting(3)
    })
    const [incident, maintenance, removed] = await Promise.all(pending)
    t.equal(removed?.status, 200)
    t.ok((await listedIds()).includes(incident?.body.id))
    const { body } = await request(publicOperations.maintenances, { params: { slug } })
    t.same(
      body.data.map(({ id }: { id: string }) => id),
      [maintenance?.body.id],
    )
  },
)

t.test('a deletion waits for automatic decisions before it locks incidents', async (t) => {
  const { organizationId, id, request, listedIds, removal } = await incidentOnPage()
  let pending: ReturnType<typeof request> | undefined
  await inOtherSession(t, async (tx, waiting) => {
    const name = `core:automatic:${organizationId}`
    await tx`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`
    pending = removal()
    await waiting(1)
    await t.resolves(tx`
      SELECT FROM core.incidents i JOIN core.incident_components c ON c.incident_id = i.id
      WHERE i.id = ${id} FOR UPDATE NOWAIT`)
  })
  t.equal((await pending)?.status, 200)
  t.same(await listedIds(), [id])
})

t.test('components of several incidents are locked in order of their ids', async (t) => {
  const { request, organizationId } = organizationOn(kit)
  const ids: string[] = []
  for (const name of ['A', 'B', 'C']) {
    ids.push((await request(componentOperations.create, { body: { ...endpoint, name } })).body.id)
  }
  const [lowest = '', middle = '', highest = ''] = ids.toSorted()
  for (const componentId of [highest, middle]) {
    const derivedStatus = 'major_outage' as const
    const since = new Date().toISOString()
    const monitor = { componentId, name: 'x', derivedStatus, reason: null, since }
    const event = draftEvent(monitorDown, { id: componentId, version: 1 }, { monitor })
    await kit.publishAndHandle('monitor', organizationId, event)
  }
  const updates = ids.map((id) => ({ id, isEnabled: false }))
  let pending: ReturnType<typeof request> | undefined
  await inOtherSession(t, async (tx, waiting) => {
    await tx`SELECT FROM core.components WHERE id = ${lowest} FOR UPDATE`
    pending = request(componentOperations.bulk, { body: { updates } })
    await waiting(1)
    await t.resolves(tx`
      SELECT FROM core.components WHERE id IN (${middle}, ${highest}) FOR UPDATE NOWAIT`)
  })
  t.equal((await pending)?.status, 200)
})
