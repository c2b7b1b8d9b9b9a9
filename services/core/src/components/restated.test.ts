/** The migration that states components once more says of each what a change of it would. */
import { readFile } from 'node:fs/promises'
import { componentOperations } from '@status-page/contracts'
import postgres from 'postgres'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'

const migration = new URL('../../migrations/0017_restated.sql', import.meta.url)

t.test('parents, settings and secrets equal those of the latest event', async (t) => {
  const kit = await coreKit(t)
  const { ask, organizationId } = kit.as()
  const create = async (body: object) => (await ask(componentOperations.create, { body })).body.id
  const root = await create({ type: 'SERVICE', name: 'Root' })
  const middle = await create({ type: 'SERVICE', name: 'Middle', parentComponentId: root })
  await create({
    type: 'ENDPOINT',
    name: 'API',
    url: 'https://93.184.215.14/',
    parentComponentId: middle,
    headers: { authorization: 'Bearer swordfish' },
  })
  const { events: before } = await kit.outbox(organizationId as string)

  const sql = (await readFile(migration, 'utf8')).split('-- A phone')[0] as string
  const admin = postgres(kit.adminUrl, { max: 1, onnotice: () => {} })
  await admin.begin(async (tx) => {
    await tx.unsafe('SET LOCAL ROLE status_page_migrator; SET LOCAL search_path = core')
    await tx.unsafe(sql)
  })
  await admin.end()

  const { events: after } = await kit.outbox(organizationId as string)
  const named = (events: typeof before) =>
    events
      .map(({ aggregate, version, data }) => ({ aggregate, version, component: data.component }))
      .sort((one, other) => one.aggregate.localeCompare(other.aggregate))
  t.same(
    named(after),
    named(before).map(({ component, ...one }) => {
      // Facts had none of it when this was written, and it is null but for METRIC ones, which did not exist.
      const { metric, ...known } = component
      return { ...one, version: one.version + 1, component: known }
    }),
  )
  t.same(new Set(after.map(({ kind }) => kind)), new Set(['component.updated']))
  t.match(named(after)[2]?.component.ancestorIds, [middle, root])
})
