/** The conformance check of the test client detects undocumented responses. */
import { notFound } from '@status-page/contracts'
import t from 'tap'
import { differencesOf, type RecordedExchange } from './kit/conformance.ts'

const exchange = (more: Partial<RecordedExchange>): RecordedExchange => ({
  method: 'GET',
  path: '/api/v1/auth/2fa',
  status: 200,
  headers: new Headers({ 'content-type': 'application/json; charset=utf-8' }),
  text: JSON.stringify({ enabled: false, enabledAt: null, backupCodesRemaining: 0 }),
  ...more,
})

t.test(
  'a documented exchange has no difference, and the difference of an undocumented one is ' +
    'named',
  async (t) => {
    const isOf = (more: Partial<RecordedExchange>, expected: RegExp | null) => {
      const found = differencesOf(exchange(more)).join()
      if (expected === null) t.equal(found, '')
      else t.match(found, expected)
    }
    isOf({}, null)
    isOf({ path: '/health', status: 418 }, null)
    isOf({ path: '/api/v1/auth/2fa?unknown=1' }, null)
    isOf({ status: 202 }, /responded with 202: the status is not documented/)
    isOf(
      { headers: new Headers({ 'content-type': 'text/plain' }) },
      /text\/plain is not documented/,
    )
    isOf({ text: '{"enabled":"no"}' }, /enabled must be boolean/)
    const refusal = { status: 401, text: '{"error":{"code":"NO_SUCH_CODE","message":""}}' }
    isOf(refusal, /code must be equal to one of/)
    const page = { path: '/status/acme', status: 404, text: '<!doctype html>' }
    isOf({ ...page, headers: new Headers({ 'content-type': 'text/html' }) }, null)
    isOf({ ...page, text: JSON.stringify(notFound().toBody()) }, null)
  },
)
