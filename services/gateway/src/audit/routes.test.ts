/** Audit log over HTTP: pages, filters and exports. */
import { memoryBus } from '@status-page/bus'
import { read } from '@status-page/postgres'
import { sql } from 'drizzle-orm'
import t from 'tap'
import {
  asKey,
  asMember,
  createApiKey,
  registerMember,
  type SignedInMember,
  testGateway,
} from '../gateway.fixture.ts'
import { callApi } from '../organization.fixture.ts'
import { MAX_EXPORT_ROWS } from './export.ts'

const USER = '019f0000-0000-7000-8000-000000000001'
const KEY = '019f0000-0000-7000-8000-000000000002'

/** Inserts entries one second apart, with one of three actions in turn. */
/** Rows of a statement; more could exceed its time limit on a busy machine. */
const FILL_ROWS = 20_000

const fill = async (
  gateway: Awaited<ReturnType<typeof testGateway>>,
  member: SignedInMember,
  rows: number,
) => {
  for (let start = 1; start <= rows; start += FILL_ROWS) {
    await fillRange(gateway, member, [start, Math.min(rows, start + FILL_ROWS - 1)])
  }
}

const fillRange = (
  gateway: Awaited<ReturnType<typeof testGateway>>,
  member: SignedInMember,
  [first, last]: [number, number],
) =>
  read(gateway.database, member.identity.organization.id, ({ tx }) =>
    tx.execute(sql`
      INSERT INTO audit_log (organization_id, id, action, entity_type, entity_id, entity_name,
        actor_type, user_id, api_key_id, changes, occurred_at)
      SELECT ${member.identity.organization.id}::uuid, gen_random_uuid(),
        (ARRAY['component.create', 'component.update', 'incident.update'])[1 + n % 3],
        CASE WHEN n % 3 = 2 THEN 'incident' ELSE 'component' END, 'entity-' || n % 10,
        CASE n WHEN 1 THEN '=1+1' WHEN 2 THEN E'a "b",\nc' ELSE 'plain' END,
        'user', CASE WHEN n % 2 = 0 THEN ${USER}::uuid END, CASE WHEN n % 2 = 1 THEN ${KEY}::uuid END,
        '{"name":{"to":"-x"}}', timestamptz '2026-01-01Z' + make_interval(secs => n / 4 + 0.001 * n)
      FROM generate_series(${first}::int, ${last}::int) AS n`),
  )

t.test('entries are listed newest first, filtered, and only of the own organization', async (t) => {
  const gateway = await testGateway(t)
  const [owner, other] = [await registerMember(gateway), await registerMember(gateway)]
  await fill(gateway, owner, 60)
  const list = async (query: string, by = owner) =>
    (await callApi(gateway, `GET /audit-logs?${query}`, asMember(by))).json()
  const first = await list('pageSize=1')
  t.match(first, { meta: { total: 61, pageSize: 1 }, data: [{ action: 'auth.register' }] })
  t.same(Object.keys(first.data[0]).sort(), [
    'action',
    'actorType',
    'apiKeyId',
    'changes',
    'createdAt',
    'entityId',
    'entityName',
    'entityType',
    'id',
    'ipAddress',
    'organizationId',
    'requestId',
    'updatedAt',
    'userAgent',
    'userId',
  ])
  const counts: [string, number][] = [
    ['action=incident.update', 20],
    ['entityType=component', 40],
    ['entityId=entity-3', 6],
    [`userId=${USER}`, 30],
    [`apiKeyId=${KEY}&action=component.create`, 10],
    ['from=2026-01-01T00:00:05Z', 42],
    ['to=2026-01-01T00:00:05Z', 19],
    ['from=2026-01-01T00:00:05Z&to=2026-01-01T00:00:06Z', 4],
    ['action=nothing', 0],
    [`userId=${KEY}`, 0],
  ]
  for (const [query, total] of counts) t.equal((await list(query)).meta.total, total, query)
  t.equal((await list('', other)).meta.total, 1)
  for (const query of ['from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z', 'userId=me']) {
    t.equal((await list(query)).error.code, 'VALIDATION_ERROR', query)
  }
})

t.test('an export contains every matching entry once and in order', async (t) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  const { key } = await createApiKey(gateway, owner, ['audit:read'])
  // The log also contains the entries of the registration and of the key.
  await fill(gateway, owner, 1_234)
  for (const [order, action] of [
    ['asc', ''],
    ['desc', '&action=component.create'],
  ]) {
    const query = `format=ndjson&sortOrder=${order}${action}&page=7&pageSize=3`
    const response = await callApi(gateway, `GET /audit-logs?${query}`, asKey(key))
    t.match(response.headers, {
      'content-type': 'application/x-ndjson; charset=utf-8',
      'content-disposition': 'attachment; filename="audit-logs.ndjson"',
    })
    const entries = response.body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    t.equal(entries.length, action === '' ? 1_236 : 411)
    t.equal(new Set(entries.map(({ id }) => id)).size, entries.length, 'none twice')
    const times = entries.map(({ createdAt }) => createdAt)
    const sorted = [...times].sort()
    t.same(times, order === 'asc' ? sorted : sorted.reverse())
  }
  const head = await gateway.http.inject({
    method: 'HEAD',
    url: '/api/v1/audit-logs?format=csv',
    headers: asKey(key),
  })
  t.same([head.statusCode, head.body], [200, ''])
})

t.test('a cell that a spreadsheet would run is exported as text', async (t) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  await fill(gateway, owner, 2)
  const response = await callApi(
    gateway,
    'GET /audit-logs?format=csv&sortOrder=asc',
    asMember(owner),
  )
  t.match(response.headers['content-type'], /^text\/csv; charset=utf-8/)
  const [head, first, second] = response.body.split('\r\n')
  t.match(head, /^id,createdAt,action,entityType,entityId,entityName,/)
  t.match(first, /,'=1\+1,user,/)
  t.match(first, /"\{""name"":\{""to"":""-x""\}\}"/)
  t.match(second, /,"a ""b"",\nc",user,/)
})

t.test('an export ends at its cap', async (t) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  await fill(gateway, owner, MAX_EXPORT_ROWS + 10)
  const response = await callApi(gateway, 'GET /audit-logs?format=ndjson', asMember(owner))
  t.equal(response.body.split('\n').length - 1, MAX_EXPORT_ROWS)
})

t.test('every filter uses an index in the order of the list', async (t) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  const organizationId = owner.identity.organization.id
  const filters = [
    'true',
    `action = 'x'`,
    `entity_type = 'x'`,
    `entity_id = 'x'`,
    `user_id = '${USER}'`,
    `api_key_id = '${USER}'`,
  ]
  for (const filter of filters) {
    const plan = await read(gateway.database, organizationId, async ({ tx }) => {
      await tx.execute(sql`SET LOCAL enable_seqscan = off`)
      await tx.execute(sql`SET LOCAL enable_bitmapscan = off`)
      const rows = await tx.execute(
        sql.raw(`EXPLAIN SELECT * FROM audit_log WHERE organization_id = '${organizationId}'
          AND ${filter} ORDER BY occurred_at DESC, id DESC LIMIT 20`),
      )
      return rows.map((row) => String(row['QUERY PLAN'])).join('\n')
    })
    t.match(plan, /Index Scan Backward using audit_log_/, filter)
    t.notMatch(plan, /Sort/, filter)
  }
})

t.test('an action is in the audit log of its own organization', async (t) => {
  const gateway = await testGateway(t)
  const { database, eventHandlers } = gateway
  const owner = await registerMember(gateway)
  await createApiKey(gateway, owner, ['audit:read'])
  await memoryBus(t, [{ database, eventHandlers }]).drain()
  const response = await callApi(gateway, 'GET /audit-logs?action=api_key.create', asMember(owner))
  t.match(response.json().data, [{ userId: owner.identity.user.id, entityName: 'A key' }])
})

t.test(
  'the revocation of a key is in the audit log at once, even when the bus is delayed',
  async (t) => {
    const gateway = await testGateway(t)
    const owner = await registerMember(gateway)
    const { id } = await createApiKey(gateway, owner, ['components:read'])
    t.equal((await callApi(gateway, `DELETE /api-keys/${id}`, asMember(owner))).statusCode, 200)
    const list = () => callApi(gateway, `GET /audit-logs?entityId=${id}`, asMember(owner))
    const actions = (await list()).json().data.map(({ action }: { action: string }) => action)
    t.same(actions, ['api_key.delete', 'api_key.create'])
    t.equal((await list()).json().meta.total, 2, 'each entry once')
    await memoryBus(t, [gateway]).drain()
    t.equal((await list()).json().meta.total, 2, 'the bus brings none again')
  },
)
