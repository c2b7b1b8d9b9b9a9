/** Export of an organization: it is complete, or the client sees that it is not. */
import { longestEventLoopBlock, type TargetResponse } from '@status-page/testing'
import t, { type Test } from 'tap'
import { asMember, registerMember, testGateway } from '../../gateway.fixture.ts'
import { callApi } from '../../organization.fixture.ts'

const headers = { 'content-type': 'application/json' }
const emptyList = { headers, body: '{"data":[]}' }

/**
 * Gateway whose upstreams return empty lists; paths that end with a key of `statuses` respond with
 * that status.
 */
const gatewayWith = async (t: Test, statuses: Record<string, number>) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  gateway.inner.respond(({ url }): TargetResponse => {
    const path = url.split('?', 1)[0] ?? ''
    const status = Object.entries(statuses).find(([end]) => path.endsWith(end))?.[1]
    return status === undefined ? emptyList : { status, headers, body: '{}' }
  })
  return () => callApi(gateway, 'GET /organization/export', asMember(owner))
}

/** Exports incidents, which are too large for a list with `include`. */
const exportOf = async (t: Test, incidents: Readonly<Record<string, Buffer | null>>) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  gateway.inner.respond(({ url }): TargetResponse => {
    const { pathname, searchParams } = new URL(url, 'http://core')
    if (!pathname.includes('/incidents')) return emptyList
    const include = searchParams.get('include')
    const id = pathname.split('/incidents/')[1]
    if (id !== undefined) {
      const body = include === 'updates,postmortem' ? incidents[id] : null
      return body ? { headers, body } : { status: 404, headers, body: '{}' }
    }
    if (include !== null) return { status: 400, headers, body: '{}' }
    const data = Object.keys(incidents).map((one) => ({ id: one }))
    return { headers, body: JSON.stringify({ data }) }
  })
  return callApi(gateway, 'GET /organization/export', asMember(owner))
}

t.test('an export contains all updates of incidents that no list can contain', async (t) => {
  const first = { id: 'first', updates: [{ message: 'Line\nbreak, "quotes", 𝟘' }] }
  const third = { id: 'third', updates: [] }
  const { body } = await exportOf(t, {
    first: Buffer.from(JSON.stringify(first)),
    deleted: null,
    third: Buffer.from(JSON.stringify(third)),
  })
  const lines = body
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const exported = lines.filter(({ kind }) => kind === 'incident').map(({ data }) => data)
  t.same(exported, [first, third])
  t.equal(lines.at(-1).kind, 'configuration')
})

t.test('an incident of 30 MB does not block other requests', async (t) => {
  const updates = Array.from({ length: 300 }, () => ({ message: '"𝟘'.repeat(17_000) }))
  const large = Buffer.from(JSON.stringify({ id: 'large', updates }))
  await exportOf(t, { small: Buffer.from('{}') })
  const { holdMs, result } = await longestEventLoopBlock(() => exportOf(t, { large }))
  t.ok(result.body.length > updates.length * 17_000)
  const startedAt = performance.now()
  JSON.stringify(JSON.parse(large.toString()))
  const wholeMs = performance.now() - startedAt
  t.ok(holdMs < wholeMs / 2, `${holdMs} ms of ${wholeMs} ms for the whole body`)
})

t.test('an export without settings of Git sync is complete', async (t) => {
  const read = await gatewayWith(t, { '/git-sync': 404, '/git-sync/history': 404 })
  const response = await read()
  t.equal(response.statusCode, 200)
  const kinds = response.body
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).kind)
  t.equal(kinds[0], 'organization')
  t.equal(kinds.at(-1), 'configuration')
  t.notOk(kinds.includes('git_sync'))
})

t.test('an export ends without its last line when an operation fails', async (t) => {
  for (const status of [404, 500, 503]) {
    const read = await gatewayWith(t, { '/incidents': status })
    await t.rejects(read(), `status ${status}`)
  }
})

t.test('an export ends without its last line when the configuration fails', async (t) => {
  const read = await gatewayWith(t, { '/config/export': 503 })
  await t.rejects(read())
})
