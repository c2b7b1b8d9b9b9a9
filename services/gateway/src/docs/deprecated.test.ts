/** Deprecated operations are marked in the OpenAPI document, with the headers of their replies. */
import { componentOperations } from '@status-page/contracts'
import t from 'tap'
import { describeOperation } from './operations.ts'

t.test('a deprecated operation states its deprecation and sunset in its description', async (t) => {
  const current = componentOperations.list
  const old = { ...current, deprecated: { since: '2026-01-01', sunset: '2026-09-01' } }
  const same = (schema: object) => schema as never
  const described = describeOperation(old, same) as Record<string, unknown>
  t.equal(described.deprecated, true)
  t.match(
    String(described.description),
    /Deprecated since 2026-01-01; may be removed from 2026-09-01 on/,
  )
  for (const status of ['200', '404', '429']) {
    const response = (described.responses as Record<string, { headers?: object }>)[status]
    if (response === undefined) continue
    t.match(response, { headers: { Deprecation: Object, Sunset: Object } }, status)
  }
  t.notOk('deprecated' in describeOperation(current, same))
})
