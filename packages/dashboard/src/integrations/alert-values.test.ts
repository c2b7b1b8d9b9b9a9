/** Settings of an alert intake as its form reads and writes them. */
import t from 'tap'
import { alertBodyOf, newAlertValues, newRoute } from './alert-values.ts'

t.test('labels are one name and value per line', async (t) => {
  const route = { ...newRoute, labels: ' service = queue \n\nteam=a=b', componentIds: ['c1'] }
  t.same(alertBodyOf({ ...newAlertValues, routes: [route] }).routes, [
    { matchLabels: { service: 'queue', team: 'a=b' }, componentIds: ['c1'], impact: 'minor' },
  ])
})

t.test('an empty title has the default of the service, an empty delay is none', async (t) => {
  const body = alertBodyOf(newAlertValues)
  t.notOk('titleTemplate' in body)
  t.equal(body.publishAfterMinutes, null)
  t.equal(alertBodyOf({ ...newAlertValues, publishAfterMinutes: '5' }).publishAfterMinutes, 5)
})
