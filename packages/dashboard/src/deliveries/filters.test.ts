/** Filters of an address become the query of the request. */
import t from 'tap'
import { isFiltered, PAGE_SIZE, readDeliveryFilters, toDeliveryQuery } from './filters.ts'

const ID = '01900000-0000-7000-8000-000000000000'

t.test('valid filters are read and sent', async (t) => {
  const filters = readDeliveryFilters({
    state: 'exhausted',
    event: 'incident.created',
    channel: ID,
    subscriber: ID,
    incident: ID,
    from: '2026-01-02',
    to: '2026-01-02',
    page: 2,
  })
  const { from, to, ...query } = toDeliveryQuery(filters)
  t.same(query, {
    page: 2,
    pageSize: PAGE_SIZE,
    state: 'exhausted',
    event: 'incident.created',
    channelId: ID,
    subscriberId: ID,
    incidentId: ID,
  })
  t.equal(Date.parse(to ?? '') - Date.parse(from ?? ''), 86_400_000, 'the last day is included')
  t.ok(isFiltered(filters))
})

t.test('invalid values are ignored', async (t) => {
  const filters = readDeliveryFilters({
    state: 'lost',
    event: 'toString',
    channel: 'x',
    incident: 7,
    from: '2026-13-01',
    page: 0,
  })
  t.same(toDeliveryQuery(filters), { page: 1, pageSize: PAGE_SIZE })
  t.notOk(isFiltered(filters))
})
