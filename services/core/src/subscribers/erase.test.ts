/** Erasure of a mail address in core: on every page, in stored events, and against an import. */
import {
  subscriberOperations as on,
  statusPageOperations,
  subscriberErasureOperations,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { textOfSchema } from '@status-page/testing'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'

const kit = await coreKit(t)
const { erase } = subscriberErasureOperations

t.test('the address leaves every page, and every table of core', async (t) => {
  const { request, organizationId } = kit.as()
  const neighbour = kit.as()
  const email = `zebramarker-${newId()}@example.com`
  const { body: page } = await request(statusPageOperations.create, {
    body: { name: 'A page', slug: `page-${newId()}` },
  })
  for (const statusPageId of [undefined, page.id]) {
    const body = { type: 'email', email, ...(statusPageId && { statusPageId }) }
    t.equal((await request(on.create, { body })).status, 201)
  }
  await neighbour.request(on.create, { body: { type: 'email', email: `other-${email}` } })
  const response = await request(erase, { body: { email } })
  t.same(response.body, { success: true, subscribers: 2 })
  t.same((await request(on.list, {})).body.data, [])
  const { events } = await kit.outbox(organizationId)
  const kinds = events.map(({ kind }: { kind: string }) => kind)
  t.same(kinds.slice(-3), ['subscriber.deleted', 'subscriber.deleted', 'subscriber.erased'])
  await kit.drain()
  const text = await textOfSchema(kit.adminUrl, 'core')
  const found = text
    .split('\n')
    .filter((line) => line.includes(`"${email}`) || line.includes(`,${email}`))
  t.same(found, [], 'no row holds it')
  t.match(text, `other-${email}`, 'another organization is untouched')
  t.same((await request(erase, { body: { email } })).body, { success: true, subscribers: 0 })
})
