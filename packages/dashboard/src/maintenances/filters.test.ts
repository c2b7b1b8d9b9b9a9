/** Filters of maintenances in the address. */
import t from 'tap'
import { isFiltered, readFilters, toMaintenanceQuery } from './filters.ts'

const component = '019a3c5e-7b1f-7c2a-9d4e-000000000001'

t.test('values that are not valid are ignored', async (t) => {
  const none = readFilters({
    view: 'year',
    state: 'x',
    component: '../',
    day: '2027-02-31',
    page: 0,
  })
  t.notOk(Object.values(none).some((value) => value !== undefined))
  t.notOk(isFiltered(none))
})

t.test('upcoming maintenances are listed by default, the next one first', async (t) => {
  const order = { page: 1, pageSize: 20, sortBy: 'scheduledFor' }
  t.same(toMaintenanceQuery({}), { ...order, upcoming: true, sortOrder: 'asc' })
  t.same(toMaintenanceQuery({ state: 'past', component }), {
    ...order,
    upcoming: false,
    active: false,
    sortOrder: 'desc',
    componentId: component,
  })
})
