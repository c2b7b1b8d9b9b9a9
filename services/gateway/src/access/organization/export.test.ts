/** Export of an organization: it is complete, or the client sees that it is not. */
import type { TargetAnswer } from '@status-page/testing'
import t, { type Test } from 'tap'
import { asMember, registerMember, testGateway } from '../../gateway.fixture.ts'
import { callApi } from '../../organization.fixture.ts'

t.setTimeout(180_000)

const headers = { 'content-type': 'application/json' }
const emptyList = { headers, body: '{"data":[]}' }

/**
 * Gateway whose upstreams return empty lists; paths that end with a key of `statuses` respond with
 * that status.
 */
const gatewayWith = async (t: Test, statuses: Record<string, number>) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  gateway.inner.respond(({ url }): TargetAnswer => {
    const path = url.split('?', 1)[0] ?? ''
    const status = Object.entries(statuses).find(([end]) => path.endsWith(end))?.[1]
    return status === undefined ? emptyList : { status, headers, body: '{}' }
  })
  return () => callApi(gateway, 'GET /organization/export', asMember(owner))
}

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
