/** Filters of the list of alerts. */
import t from 'tap'
import { readAlertFilters, toAlertQuery } from './alert-filters.ts'

const SCHEDULE = '0198f2a4-0000-7000-8000-000000000001'

t.test('an address with values that are not valid has no filters', async (t) => {
  const none = { state: undefined, schedule: undefined, page: undefined }
  t.same(readAlertFilters({}), none)
  t.same(readAlertFilters({ state: 'x', schedule: '../', page: '-1' }), none)
  t.same(readAlertFilters({ state: 'open', schedule: SCHEDULE, page: 2 }), {
    state: 'open',
    schedule: SCHEDULE,
    page: 2,
  })
})

t.test('open alerts include acknowledged ones', async (t) => {
  t.match(toAlertQuery({}), { status: 'triggered', page: 1 })
  t.match(toAlertQuery({ state: 'open' }), { resolved: false, status: undefined })
  t.match(toAlertQuery({ state: 'resolved', schedule: SCHEDULE }), {
    resolved: true,
    scheduleId: SCHEDULE,
  })
})
