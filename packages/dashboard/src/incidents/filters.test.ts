/** Filters of incidents in the address. */
import t from 'tap'
import { isFiltered, readFilters, toIncidentQuery } from './filters.ts'

const component = '019a3c5e-7b1f-7c2a-9d4e-000000000001'

t.test('values that are not valid are ignored', async (t) => {
  const none = readFilters({
    state: 'x',
    component: '../',
    from: '2026-99-99',
    page: -1,
    search: '',
  })
  t.notOk(Object.values(none).some((value) => value !== undefined))
  t.notOk(isFiltered(none))
})

t.test('a search of digits is a text', async (t) => {
  t.match(readFilters({ search: 503, page: 2 }), { search: '503', page: 2 })
})

t.test('open incidents are listed by default', async (t) => {
  t.same(toIncidentQuery({}), { page: 1, pageSize: 20, resolved: false })
  t.same(toIncidentQuery({ state: 'all' }), { page: 1, pageSize: 20 })
})

t.test('the last day is included', async (t) => {
  const filters = readFilters({ component, from: '2026-03-01', to: '2026-03-01' })
  const { from, to, componentId } = toIncidentQuery(filters)
  t.equal(componentId, component)
  t.equal(Date.parse(to ?? '') - Date.parse(from ?? ''), 86_400_000)
})
