/** Filters of an address become the query of the request. */
import t from 'tap'
import { isFiltered, readSubscriberFilters, toSubscriberQuery } from './filters.ts'

const ID = '01900000-0000-7000-8000-000000000000'

t.test('valid filters are read and sent', async (t) => {
  const filters = readSubscriberFilters({
    search: 12,
    type: 'sms',
    status: 'quarantined',
    source: 'import',
    component: ID,
    statusPage: ID,
    page: '3',
  })
  t.equal(filters.page, 3)
  t.same(toSubscriberQuery(filters), {
    search: '12',
    type: 'sms',
    status: 'quarantined',
    source: 'import',
    componentId: ID,
    statusPageId: ID,
  })
  t.ok(isFiltered(filters))
})

t.test('invalid values are ignored', async (t) => {
  const filters = readSubscriberFilters({
    search: '',
    type: 'fax',
    status: ['active'],
    component: '1',
    page: 'x',
  })
  t.same(toSubscriberQuery(filters), {})
  t.notOk(isFiltered({ ...filters, page: 2 }), 'the page is no filter')
})
