/** Metrics that the monitor publishes about components, besides their status. */
import { checkSummarised, draftEvent, componentOperations as on } from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'

const kit = await coreKit(t)

t.test('metrics of the monitor are stored, and never replaced by older ones', async (t) => {
  const { request, organizationId } = kit.as()
  const { body } = await request(on.create, {
    body: { type: 'ENDPOINT', name: 'API', url: 'https://93.184.215.14/' },
  })
  const figures = (lastCheckAt: string, averageResponseTime: number) =>
    draftEvent(
      checkSummarised,
      { id: newId(), version: 1 },
      { components: [{ id: body.id, lastCheckAt, averageResponseTime }] },
    )
  await kit.publishAndHandle('monitor', organizationId, figures('2026-08-01T09:30:00.000Z', 143))
  await kit.publishAndHandle('monitor', organizationId, figures('2026-08-01T09:29:00.000Z', 999))
  const read = await request(on.read, { params: { id: body.id } })
  t.match(read.body, { averageResponseTime: 143, lastCheckAt: '2026-08-01T09:30:00.000Z' })
})
