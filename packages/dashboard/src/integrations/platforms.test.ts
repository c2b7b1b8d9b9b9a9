/** Settings of an integration as the form writes them. */
import t from 'tap'
import { configOf, valuesOf } from './platforms.ts'

t.test('an empty secret is not sent, an empty optional setting is removed', async (t) => {
  const values = { name: 'Metrics', isEnabled: true, url: ' https://example.com ', username: '' }
  t.same(configOf('prometheus', values, { bearerToken: 'abc', password: '' }), {
    url: 'https://example.com',
    username: null,
    bearerToken: 'abc',
  })
})

t.test('a number is sent as a number, and an invalid one for the service to refuse', async (t) => {
  const values = { name: 'Metrics', isEnabled: true, region: 'EU' }
  t.match(configOf('newrelic', { ...values, accountId: '42' }, {}), { accountId: 42 })
  t.match(configOf('newrelic', { ...values, accountId: 'x' }, {}), { accountId: 'x' })
})

t.test('a new form has the default of a choice and no secret', async (t) => {
  t.same(valuesOf('datadog', null), { name: '', isEnabled: true, site: 'datadoghq.com' })
})
