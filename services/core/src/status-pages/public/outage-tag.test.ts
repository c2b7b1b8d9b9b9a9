/** ETag during an outage: public data changes once a minute, and the tag with it. */
import { componentOperations, publicOperations, statusPageOperations } from '@status-page/contracts'
import t from 'tap'
import { coreKit } from '../../core.fixture.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

t.test('the ETag of a public status is the same for a minute of an outage', async (t) => {
  const kit = await coreKit(t)
  const { request } = kit.as()
  const slug = `tag-${process.pid}`
  await request(statusPageOperations.create, { body: { name: 'Status', slug, isPublished: true } })
  const { body: component } = await request(componentOperations.create, {
    body: { type: 'SERVICE', name: 'API' },
  })
  kit.clock.advance(HOUR_MS)
  const params = { id: component.id }
  await request(componentOperations.update, { params, body: { status: 'major_outage' } })
  const now = Date.now() + kit.clock.offsetMs()
  kit.clock.advance(2 * MINUTE_MS - (now % MINUTE_MS))
  const look = async () => {
    const { body, headers } = await request(publicOperations.status, { params: { slug } })
    return { tag: headers.etag, today: body.components[0].uptimeDays.at(-1) }
  }
  const first = await look()
  t.match(first.today, { status: 'major_outage' })
  kit.clock.advance(MINUTE_MS / 2)
  t.same(await look(), first)
  kit.clock.advance(MINUTE_MS)
  t.not((await look()).tag, first.tag)
})
