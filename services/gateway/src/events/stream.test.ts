/** Event stream: order, cursors, permissions, limits and ends of streams. */
import { newId, read } from '@status-page/postgres'
import { eventually } from '@status-page/testing'
import { sql } from 'drizzle-orm'
import t from 'tap'
import { asKey, asMember, createApiKey, registerMember, runJob } from '../gateway.fixture.ts'
import { addMember, callApi } from '../organization.fixture.ts'
import { append, follow, listeningGateway, listeningReplica } from './events.fixture.ts'

const REVOKED_WITHIN_MS = 2_000

const idsOf = ({ events }: { events: readonly { id: string }[] }) => events.map(({ id }) => id)

t.test('every stream receives the same events in the same order, on every replica', async (t) => {
  const gateway = await listeningGateway(t)
  const replica = await listeningReplica(t, gateway)
  const member = await registerMember(gateway)
  const other = await registerMember(gateway)
  const { key } = await createApiKey(gateway, member, ['incidents:read'])
  const first = await append(gateway, member, 'before')
  const clients = [
    await follow(gateway, asKey(key)),
    await follow(replica, asMember(member)),
    await follow(replica, asKey(key), `?after=${first}`),
  ]
  t.same(
    clients.map(({ status }) => status),
    [200, 200, 200],
  )
  await append(gateway, other, 'of another organization')
  const ids = await Promise.all(
    Array.from({ length: 30 }, (_none, index) => append(gateway, member, `event ${index}`)),
  )
  await eventually(() => clients.every(({ events }) => events.length >= ids.length))
  const [one, ...rest] = clients.map(idsOf)
  for (const received of rest) t.same(received, one)
  t.same(one?.toSorted(), ids.toSorted())
  const listed = (await callApi(gateway, 'GET /events', asKey(key))).json()
  t.same(
    listed.data.map(({ id }: { id: string }) => id),
    [first, ...(one ?? [])],
  )
  const [event] = clients[0]?.events ?? []
  t.equal(event?.event, 'incident.created')
  t.same(JSON.parse(event?.data ?? ''), listed.data[1])
})

t.test('a client that reconnects with the last id misses and repeats nothing', async (t) => {
  const gateway = await listeningGateway(t)
  const member = await registerMember(gateway)
  const { key } = await createApiKey(gateway, member, ['incidents:read'])
  const early = await follow(gateway, asKey(key))
  await eventually(() => early.lastEventId() === 'earliest')
  early.close()
  const ids = []
  for (let index = 0; index < 5; index++) ids.push(await append(gateway, member, `event ${index}`))
  const headers = { ...asKey(key), 'last-event-id': early.lastEventId() }
  const again = await follow(gateway, headers)
  await eventually(() => again.events.length === ids.length)
  t.same(idsOf(again), ids)
  const third = await follow(
    gateway,
    { ...asKey(key), 'last-event-id': String(ids[2]) },
    '?after=earliest',
  )
  await eventually(() => third.events.length === 2)
  t.same(idsOf(third), ids.slice(3), 'the header takes precedence over the query')
})

t.test('a bad cursor is refused before the stream begins', async (t) => {
  const gateway = await listeningGateway(t)
  const member = await registerMember(gateway)
  const other = await registerMember(gateway)
  const { key } = await createApiKey(gateway, member, ['incidents:read'])
  const foreign = await append(gateway, other, 'of another organization')
  const head = await append(gateway, member, 'the newest event')
  const expired = 'evt_0192f0c1-7a5e-7cc3-98f4-2f1d3b4a5c6d'
  for (const [cursor, status] of [
    [foreign, 404],
    [`evt_${newId()}`, 404],
    ['nonsense', 400],
    ['evt_', 400],
    [`${head}x`, 400],
    [expired, 409],
  ] as const) {
    for (const path of ['/events', '/events/stream']) {
      const response = await callApi(gateway, `GET ${path}?after=${cursor}`, asKey(key))
      t.equal(response.statusCode, status, `${path} ${cursor}`)
    }
    if (cursor === expired) continue
    const { status: ofHeader } = await follow(gateway, { ...asKey(key), 'last-event-id': cursor })
    t.equal(ofHeader, status, `Last-Event-ID ${cursor}`)
  }
  const late = await follow(gateway, { ...asKey(key), 'last-event-id': expired })
  await eventually(() => late.events.length === 1)
  t.match(late.events, [
    { id: head, event: 'resync', data: '{"event":"resync","reason":"expired"}' },
  ])
  const next = await append(gateway, member, 'after the resync')
  await eventually(() => late.events.length === 2)
  t.equal(late.lastEventId(), next)
})

t.test('the error of an old cursor does not state that its event existed', async (t) => {
  const gateway = await listeningGateway(t)
  const member = await registerMember(gateway)
  const { key } = await createApiKey(gateway, member, ['incidents:read'])
  const neverStored = 'evt_0192f0c1-7a5e-7cc3-98f4-2f1d3b4a5c6d'
  const response = await callApi(gateway, `GET /events?after=${neverStored}`, asKey(key))
  const message = 'after is older than 7 days, the retention of events'
  t.match(response.json(), { error: { code: 'CONFLICT', message } })
})

t.test('a caller reads the kinds that its permissions cover', async (t) => {
  const gateway = await listeningGateway(t)
  const member = await registerMember(gateway)
  const sla = await createApiKey(gateway, member, ['sla:read', 'incidents:write'])
  const none = await createApiKey(gateway, member, ['audit:read'])
  for (const path of ['/events', '/events/stream']) {
    const refused = await callApi(gateway, `GET ${path}`, asKey(none.key))
    t.equal(refused.statusCode, 403, path)
    const named = await callApi(gateway, `GET ${path}?kinds=oncall.triggered`, asKey(sla.key))
    t.match(named.json().error, { details: { permission: 'oncall:read' } })
    t.equal((await callApi(gateway, `GET ${path}?kinds=x.y`, asKey(sla.key))).statusCode, 400)
  }
  const all = await follow(gateway, asKey(sla.key))
  const some = await follow(gateway, asKey(sla.key), '?kinds=sla.breached,sla.recovered')
  await append(gateway, member, 'of an alert', 'oncall.triggered')
  const incident = await append(gateway, member, 'of an incident')
  const breached = await append(gateway, member, 'of a service level', 'sla.breached')
  await eventually(() => all.events.length === 2 && some.events.length === 1)
  t.same([idsOf(all), idsOf(some)], [[incident, breached], [breached]])
})

t.test('a revoked key ends its streams, and a lost permission ends its kinds', async (t) => {
  const gateway = await listeningGateway(t)
  const replica = await listeningReplica(t, gateway)
  const owner = await registerMember(gateway)
  const member = await addMember(gateway, owner, 'MEMBER')
  const key = await createApiKey(gateway, owner, ['incidents:read'])
  const ofKey = await follow(replica, asKey(key.key))
  const ofMember = await follow(replica, asMember(member))
  const ofOncall = await follow(replica, asMember(member), '?kinds=oncall.triggered')
  const path = `/organization/members/${member.identity.user.id}`
  const role = { role: 'STATUS_EDITOR' }
  await callApi(gateway, `PATCH ${path}`, asMember(owner), role)
  await append(gateway, owner, 'of an alert', 'oncall.triggered')
  const incident = await append(gateway, owner, 'of an incident')
  const within = { timeoutMs: REVOKED_WITHIN_MS }
  await eventually(() => ofOncall.isOver(), within)
  await eventually(() => ofMember.events.length === 1)
  t.same(idsOf(ofMember), [incident], 'the kind has ended, the stream goes on')
  t.notOk(ofKey.isOver())
  await callApi(gateway, `DELETE /api-keys/${key.id}`, asMember(owner))
  await eventually(() => ofKey.isOver(), within)
  await callApi(gateway, `DELETE ${path}`, asMember(owner))
  await eventually(() => ofMember.isOver(), within)
})

t.test('events are deleted after seven days, and the newest one remains a cursor', async (t) => {
  const gateway = await listeningGateway(t)
  const member = await registerMember(gateway)
  const { key } = await createApiKey(gateway, member, ['incidents:read'])
  const old = await append(gateway, member, 'old')
  const newest = await append(gateway, member, 'newest')
  await read(gateway.database, member.identity.organization.id, ({ tx }) =>
    tx.execute(sql`UPDATE event_log SET logged_at = now() - interval '8 days'`),
  )
  await runJob(gateway, 'retention-events')
  const list = await callApi(gateway, `GET /events?after=${newest}`, asKey(key))
  t.same(list.json(), { data: [], meta: { nextAfter: newest, hasMore: false } })
  t.same((await callApi(gateway, 'GET /events', asKey(key))).json().data, [])
  t.equal((await callApi(gateway, `GET /events?after=${old}`, asKey(key))).statusCode, 404)
  const client = await follow(gateway, { ...asKey(key), 'last-event-id': newest })
  const next = await append(gateway, member, 'next')
  await eventually(() => client.events.length === 1)
  t.same(idsOf(client), [next])
})
