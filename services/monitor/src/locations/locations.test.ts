/** Private locations and the protocol of their agents, over HTTP on an empty Postgres. */
import { catchUpOrganization } from '@status-page/bus'
import {
  type AgentResult,
  agentOperations,
  checkOperations,
  componentCreated,
  draftEvent,
  locationOperations,
  MAX_AGENTS_PER_LOCATION,
  privateLocationLock,
  systemActor,
} from '@status-page/contracts'
import { newId, transact } from '@status-page/postgres'
import { notMeasured } from '@status-page/probes'
import { nextSlot, slotAt } from '@status-page/schedule'
import {
  generateBoxKeys,
  hashToken,
  headerEncryptionContext,
  openBox,
  randomToken,
} from '@status-page/secrets'
import { serve } from '@status-page/service'
import { eventually, inject, testCaller, testDatabase, testKeys } from '@status-page/testing'
import { sql as statement } from 'drizzle-orm'
import t, { type Test } from 'tap'
import { checkRoutes } from '../checks/routes.ts'
import { heartbeatPart } from '../heartbeats/target-part.ts'
import {
  component,
  endpoint,
  type HttpEndpoint,
  logger,
  monitorOf,
  testSealer,
} from '../monitor.fixture.ts'
import { targetEventHandler } from '../targets/handlers.ts'
import { agentRoutes } from './agent-routes.ts'
import { staleLocationsJob } from './jobs.ts'
import { locationRoutes } from './routes.ts'

// Keeps the test server running for the whole file; releasing the last database stops it.
await testDatabase(t, { services: [] })

const SECOND_MS = 1000

const world = async (t: Test) => {
  const parts = await monitorOf(t)
  const { database } = parts
  const caller = testCaller()
  const components = {
    database,
    handler: targetEventHandler(heartbeatPart),
    type: 'component',
    logger,
  }
  const noted: string[] = []
  const onStored = ({ componentId }: { componentId: string }) => noted.push(componentId)
  const app = serve({
    service: 'monitor',
    database,
    verifier: testKeys().verifier('monitor'),
    routes: [
      ...locationRoutes({ areTargetsUpToDate: catchUpOrganization(components) }),
      ...agentRoutes({ database, sealer: testSealer, onStored }),
      ...checkRoutes({
        database,
        location: 'default',
        onStored,
        isNetworkLost: async () => false,
        runProbe: async () => null,
      }),
    ],
  })
  t.teardown(() => app.close())
  const create = (name: string, as = caller) =>
    inject(app, locationOperations.create, { caller: as, body: { name } })

  const enrol = async (enrolmentToken: string) => {
    const token = randomToken()
    const keys = generateBoxKeys()
    const body = {
      name: 'agent-1',
      version: '0.1.0',
      tokenHash: hashToken(token),
      publicKey: keys.publicKey,
    }
    const headers = { authorization: `Bearer ${enrolmentToken}` }
    const post = () => inject(app, agentOperations.enrol, { headers, body })
    const first = await post()
    const id = first.body.id as string
    const call = { params: { id }, headers: { authorization: `Bearer ${token}` } }
    return {
      id,
      keys,
      first,
      again: post,
      assignments: (version: string | null = null) =>
        inject(app, agentOperations.assignments, {
          ...call,
          body: { version, agentVersion: '0.2.0', canPing: false, lagSeconds: 3 },
        }),
      targets: (...componentIds: string[]) =>
        inject(app, agentOperations.targets, { ...call, body: { componentIds } }),
      results: (...results: AgentResult[]) =>
        inject(app, agentOperations.results, { ...call, body: { results } }),
    }
  }

  return {
    ...parts,
    app,
    caller,
    organizationId: caller.organizationId,
    noted,
    create,
    enrol,
    /** Component that the private location `office` checks. */
    withTarget: async (given: Partial<HttpEndpoint> = {}, owner = caller.organizationId) => {
      const settings = {
        locations: ['private:office'],
        checkInterval: 10,
        failureThreshold: 1,
        recoveryThreshold: 1,
        ...given,
      }
      const one = component({ endpoint: endpoint('http://10.0.0.5/', settings) })
      await parts.publishComponent(owner, 'created', one, 1)
      return one
    },
    list: async (as = caller) => (await inject(app, locationOperations.list, { caller: as })).body,
  }
}

const resultAt = (
  componentId: string,
  slotMs: number,
  given: Partial<AgentResult['result']> = {},
): AgentResult => ({
  componentId,
  slotAt: new Date(slotMs).toISOString(),
  result: { ...notMeasured, status: 'SUCCESS', checkedAtMs: slotMs + 20, ...given },
})

const refused = { status: 'ERROR', error: 'connect_error' } as const

t.test('an agent enrols once, and a repeated request enrols it once', async (t) => {
  const { create, enrol, list } = await world(t)
  const { status, body } = await create('office')
  t.equal(status, 201)
  t.match(body, { name: 'office', location: 'private:office', status: 'waiting', agents: [] })
  t.match(await create('office'), { status: 409, body: { error: { code: 'CONFLICT' } } })
  t.match(await create('private:office'), { status: 400 })
  const agent = await enrol(body.enrolmentToken)
  t.match(agent.first, { status: 201, body: { location: 'private:office' } })
  t.equal((await agent.again()).body.id, agent.id)
  await agent.assignments()
  const listed = await list()
  t.match(listed.data, [
    { status: 'active', agents: [{ id: agent.id, version: '0.2.0', lagSeconds: 3 }] },
  ])
  t.notMatch(JSON.stringify(listed), body.enrolmentToken)
})

t.test('tokens that are wrong, replaced or expired are refused', async (t) => {
  const { app, create, enrol, caller, sql } = await world(t)
  const { id, enrolmentToken } = (await create('office')).body
  t.equal((await enrol(randomToken())).first.status, 401)
  const rotated = await inject(app, locationOperations.rotateToken, { caller, params: { id } })
  t.equal(rotated.status, 200)
  t.equal((await enrol(enrolmentToken)).first.status, 401, 'replaced')
  const agent = await enrol(rotated.body.enrolmentToken)
  t.equal(agent.first.status, 201)
  await sql`UPDATE monitor.private_locations SET enrolment_expires_at = now() - interval '1 s'`
  t.equal((await enrol(rotated.body.enrolmentToken)).first.status, 401, 'expired')
  t.equal((await agent.assignments()).status, 200, 'an enrolled agent is not affected')
})

t.test('a location has a limited number of agents', async (t) => {
  const { create, enrol } = await world(t)
  const { enrolmentToken } = (await create('office')).body
  for (let count = 0; count < MAX_AGENTS_PER_LOCATION; count++) await enrol(enrolmentToken)
  t.match((await enrol(enrolmentToken)).first, {
    status: 409,
    body: { error: { details: { reason: 'invalid_state' } } },
  })
})

t.test('a revoked agent is refused, and its location can be deleted once unused', async (t) => {
  const { app, create, enrol, caller, withTarget, publishComponent, organizationId } =
    await world(t)
  const location = (await create('office')).body
  const agent = await enrol(location.enrolmentToken)
  const target = await withTarget()
  const params = { id: location.id, agentId: agent.id }
  const stranger = testCaller()
  const revoke = (as: typeof caller) =>
    inject(app, locationOperations.removeAgent, { caller: as, params })
  t.equal((await revoke(stranger)).status, 404)
  t.equal((await revoke(caller)).status, 200)
  t.equal((await agent.assignments()).status, 401)
  const slot = slotAt(target.id, 10_000, Date.now())
  t.equal((await agent.results(resultAt(target.id, slot))).status, 401)
  const remove = () =>
    inject(app, locationOperations.remove, { caller, params: { id: location.id } })
  t.match(await remove(), { status: 409, body: { error: { details: { reason: 'in_use' } } } })
  await publishComponent(organizationId, 'deleted', target, 2)
  t.equal((await remove()).status, 200)
})

t.test('a location is not deleted while a component begins to name it', async (t) => {
  const { app, core, create, caller, organizationId, sql, list } = await world(t)
  const { id } = (await create('office')).body
  const [locked, committing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const own = endpoint('http://10.0.0.5/', { locations: ['private:office'] })
  const fact = component({ endpoint: own })
  const by = { organizationId, actor: systemActor }
  const storing = transact(core, by, async ({ tx }) => {
    const key = privateLocationLock(organizationId)
    await tx.execute(statement`SELECT pg_advisory_xact_lock_shared(hashtextextended(${key}, 0))`)
    locked.resolve()
    await committing.promise
    const event = draftEvent(componentCreated, { id: fact.id, version: 1 }, { component: fact })
    return { result: undefined, events: [event], audit: [] }
  })
  await locked.promise
  const removing = inject(app, locationOperations.remove, { caller, params: { id } })
  await eventually(async () => {
    const waiting = await sql`SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event = 'advisory'`
    return waiting.length > 0
  })
  committing.resolve()
  await storing
  t.match(await removing, { status: 409, body: { error: { details: { reason: 'in_use' } } } })
  t.match((await list()).data, [{ id }])
})

t.test('targets are divided between live agents, with secrets sealed to each', async (t) => {
  const { create, enrol, withTarget, organizationId, sql } = await world(t)
  const { enrolmentToken } = (await create('office')).body
  const ids: string[] = []
  for (let count = 0; count < 20; count++) ids.push((await withTarget()).id)
  const first = await enrol(enrolmentToken)
  const alone = (await first.assignments()).body
  t.same(
    alone.targets.map((one: { componentId: string }) => one.componentId),
    ids.toSorted(),
  )
  t.equal((await first.assignments(alone.version)).body.targets, null)
  const second = await enrol(enrolmentToken)
  const shares = [await first.assignments(), await second.assignments()].map(({ body }) =>
    body.targets.map((one: { componentId: string }) => one.componentId),
  )
  t.same(shares.flat().toSorted(), ids.toSorted(), 'each target has one agent')
  t.ok(shares.every((share) => share.length > 0))
  await sql`UPDATE monitor.agents SET last_contact_at = now() - interval '46 s'
    WHERE id = ${first.id}`
  t.equal((await second.assignments()).body.targets.length, ids.length, 'the other one is stale')

  const id = ids[0] ?? ''
  const context = { organizationId, componentId: id }
  const recordId = `${id}:authorization`
  const sealedValue = testSealer.seal('s3cret', headerEncryptionContext(context, 'Authorization'))
  const headers = [{ name: 'Authorization', value: null, sealedValue }]
  await sql`UPDATE monitor.targets SET probe = jsonb_set(probe, '{headers}', ${sql.json(headers)})
    WHERE component_id = ${id}`
  const { body } = await second.targets(id)
  t.notMatch(JSON.stringify(body), /s3cret/)
  const sealed = body.targets[0].probe.headers[0].sealedValue
  t.equal(openBox(sealed, second.keys, recordId), 's3cret')
  t.throws(() => openBox(sealed, first.keys, recordId))
})

t.test('a target of another organization is 404, also among own ones', async (t) => {
  const { create, enrol, withTarget } = await world(t)
  const stranger = testCaller()
  const agent = await enrol((await create('office')).body.enrolmentToken)
  const own = await withTarget()
  const foreign = await withTarget({}, stranger.organizationId)
  const slot = (id: string) => slotAt(id, 10_000, Date.now())
  t.equal((await agent.targets(own.id)).status, 200)
  t.equal((await agent.targets(own.id, foreign.id)).status, 404)
  t.equal((await agent.targets(newId())).status, 404)
  const results = [own.id, foreign.id].map((id) => resultAt(id, slot(id)))
  t.equal((await agent.results(...results)).status, 404)
})

t.test('results change the status like those of other locations, once per slot', async (t) => {
  const { create, enrol, withTarget, publishedEvents, checksOf, noted } = await world(t)
  const agent = await enrol((await create('office')).body.enrolmentToken)
  const { id } = await withTarget({ failureThreshold: 2 })
  const slot = slotAt(id, 10_000, Date.now())
  const kinds = async () => (await publishedEvents()).map(({ kind }) => kind)
  const down = [slot - 10_000, slot].map((at) => resultAt(id, at, refused))
  t.match(await agent.results(...down), { status: 200, body: { accepted: 2, ignored: 0 } })
  t.same(await kinds(), ['monitor.down'])
  t.match(JSON.stringify((await publishedEvents())[0]?.payload), /connection failed/)
  t.match(await agent.results(...down), { status: 200, body: { accepted: 2 } }, 'sent again')
  t.equal((await checksOf(id)).length, 2)
  t.same(await kinds(), ['monitor.down'])
  const late = resultAt(id, slot - 20_000)
  await agent.results(late)
  t.equal((await checksOf(id)).length, 3, 'stored with its own time')
  t.same(await kinds(), ['monitor.down'], 'and it changes no state')
  t.ok(noted.includes(id))
})

t.test('results that cannot be of a slot are ignored or refused', async (t) => {
  const { create, enrol, withTarget, checksOf, publishComponent, organizationId } = await world(t)
  const agent = await enrol((await create('office')).body.enrolmentToken)
  const target = await withTarget()
  const { id } = target
  const slot = slotAt(id, 10_000, Date.now())
  const ignored = { status: 200, body: { accepted: 0, ignored: 1 } }
  t.match(await agent.results(resultAt(id, slot + 1)), ignored, 'between two slots')
  const DAY_MS = 86_400_000
  t.match(await agent.results(resultAt(id, slotAt(id, 10_000, slot - DAY_MS))), ignored, 'old')
  t.match(await agent.results(resultAt(id, nextSlot(id, 10_000, slot + 120 * SECOND_MS))), {
    status: 400,
    body: { error: { details: { field: 'results[0].slotAt' } } },
  })
  for (const text of ['a\0b', 'a'.repeat(513)]) {
    const condition = { type: 'HEADER', comparator: 'EXISTS', target: text, actual: null } as const
    const conditionResults = [{ ...condition, passed: true }]
    t.equal((await agent.results(resultAt(id, slot, { conditionResults }))).status, 400)
  }
  await publishComponent(organizationId, 'updated', { ...target, isEnabled: false }, 2)
  t.match(await agent.results(resultAt(id, slot)), ignored, 'disabled since')
  t.equal((await checksOf(id)).length, 0)
})

t.test('components name private locations, and only agents check them', async (t) => {
  const { app, create, enrol, caller, withTarget } = await world(t)
  const other = testCaller()
  const locationsOf = async (as: typeof caller) =>
    (await inject(app, checkOperations.locations, { caller: as })).body.locations
  const agent = await enrol((await create('office')).body.enrolmentToken)
  await agent.assignments()
  t.same(await locationsOf(caller), ['private:office'])
  t.same(await locationsOf(other), [])
  const { id } = await withTarget()
  const recent = await inject(app, checkOperations.recent, {
    caller,
    body: { componentIds: [id], checksPerTarget: 0 },
  })
  t.match(recent.body.targets, [{ monitor: { unservedLocations: [] } }])
  const manual = { caller, params: { id }, body: { version: 1 } }
  t.match(await inject(app, checkOperations.run, manual), {
    status: 409,
    body: { error: { details: { reason: 'invalid_state' } } },
  })
})

t.test('a stale location is reported once, and again after its agent returned', async (t) => {
  const { database, create, enrol, withTarget, sql } = await world(t)
  const location = (await create('office')).body
  const agent = await enrol(location.enrolmentToken)
  await withTarget()
  let nowMs = 0
  const job = () => staleLocationsJob({ database, nowMs: () => nowMs })
  const replicas = [job(), job()]
  const run = () => Promise.all(replicas.map((one) => one.run(new AbortController().signal)))
  const leave = () => sql`
    UPDATE monitor.private_locations SET last_contact_at = now() - interval '46 s'`
  const reported = () => sql<{ kind: string; aggregate_version: number }[]>`
    SELECT kind, aggregate_version FROM monitor.outbox
    WHERE kind LIKE 'location.%' OR kind LIKE 'monitor.%' ORDER BY seq`
  await leave()
  await run()
  t.same(await reported(), [], 'agents may return after a start of the service')
  nowMs += 60_000
  await run()
  await run()
  t.match(await reported(), [{ kind: 'location.stale', aggregate_version: 1 }])
  await agent.assignments()
  await run()
  await leave()
  await run()
  t.match(await reported(), [{ aggregate_version: 1 }, { aggregate_version: 2 }])
})
