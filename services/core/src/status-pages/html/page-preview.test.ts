/** Preview of a status page with settings that are not stored. */
import { componentOperations, statusPageOperations as on } from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { testCaller } from '@status-page/testing'
import t from 'tap'
import { coreKit } from '../../core.fixture.ts'

const kit = await coreKit(t)

const pageOf = async ({ request }: ReturnType<typeof kit.as>, more: object = {}) => {
  const body = { name: 'Acme', slug: `s-${newId().slice(-12)}`, ...more }
  return (await request(on.create, { body })).body
}

t.test('a preview shows the given settings and stores nothing', async (t) => {
  const us = kit.as()
  const page = await pageOf(us, { description: 'Stored description' })
  const params = { id: page.id }
  const { body: component } = await us.request(componentOperations.create, {
    body: { type: 'SERVICE', name: 'Checkout' },
  })
  await kit.outbox(us.organizationId)
  const { status, body } = await us.request(on.preview, {
    params,
    body: {
      name: '<b>New</b>',
      locale: 'de',
      theme: { mode: 'dark', primaryColor: '#0f766e' },
      components: [{ componentId: component.id, displayName: 'Kasse' }],
    },
  })
  t.equal(status, 200)
  t.match(body.html, '<html lang="de" dir="ltr" data-mode="dark">')
  t.match(body.html, '<bdi>&lt;b&gt;New&lt;/b&gt;</bdi>')
  t.match(body.html, 'Kasse')
  t.match(body.html, 'Stored description')
  t.notMatch(body.html, 'Checkout')
  t.same((await us.request(on.read, { params })).body, page)
  t.same(await kit.outbox(us.organizationId), { events: [], audit: [] })
})

t.test('a preview has the rules and errors of a change', async (t) => {
  const [us, them] = [kit.as(), kit.as()]
  const { id } = await pageOf(us)
  const { body: foreign } = await them.request(componentOperations.create, {
    body: { type: 'SERVICE', name: 'Secret of others' },
  })
  const components = [{ componentId: foreign.id }]
  const refused = await us.request(on.preview, { params: { id }, body: { components } })
  t.equal(refused.status, 400)
  t.match(refused.body.error.details, { field: 'components[0].componentId' })
  t.equal((await them.request(on.preview, { params: { id }, body: {} })).status, 404)
  const reader = testCaller({
    organizationId: us.organizationId,
    permissions: ['status-pages:read'],
  })
  const preview = { caller: reader, params: { id }, body: {} }
  t.equal((await kit.request(on.preview, preview)).status, 403)
})

t.test('a write with another version is refused', async (t) => {
  const us = kit.as()
  const { id, version } = await pageOf(us)
  const rename = (name: string) =>
    us.request(on.update, {
      params: { id },
      body: { name },
      headers: { 'if-match': `"${version}"` },
    })
  t.match((await rename('First')).body, { name: 'First', version: version + 1 })
  const late = await rename('Second')
  t.equal(late.status, 409)
  t.match(late.body.error.details, { reason: 'version_mismatch' })
})
