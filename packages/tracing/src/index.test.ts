/** Without a collector the functions of tracing do nothing; e2e/traces.test.ts runs them with one. */
import t from 'tap'
import { continueTrace, currentTraceparent, isTracing, traceHeaders } from './index.ts'

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
const options = { name: 'process incident.created', kind: 'consumer', parent: TRACEPARENT } as const

t.test('without a collector, work runs once, without a trace context', async (t) => {
  let runs = 0
  const result = await continueTrace(options, async () => {
    runs++
    return { traceparent: currentTraceparent(), headers: traceHeaders() }
  })
  t.same({ runs, result }, { runs: 1, result: { traceparent: null, headers: {} } })
  t.notOk(isTracing())
})

t.test('a failure of the work passes unchanged', async (t) => {
  const failure = new TypeError('no')
  await t.rejects(
    continueTrace(options, () => Promise.reject(failure)),
    failure,
  )
})
