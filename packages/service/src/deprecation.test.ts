/** A deprecated operation has its headers in each reply. */
import { Type } from '@sinclair/typebox'
import { deprecationHeaders, type Operation, operation } from '@status-page/contracts'
import t from 'tap'
import { createHttp } from './http.ts'
import { createLogger } from './logger.ts'

const specOf = (since: string, sunset: string) =>
  ({
    id: 'things.old',
    service: 'core',
    method: 'GET',
    path: '/old',
    status: 200,
    summary: 'Read it the old way',
    permission: 'public',
    reply: Type.Object({}),
    deprecated: { since, sunset },
  }) as const

t.test('a deprecated operation carries Deprecation and Sunset, also where it fails', async (t) => {
  const old = operation(specOf('2026-01-01', '2026-07-01'))
  const { deprecated: _, ...current } = old
  t.same(deprecationHeaders(current as Operation), {})
  const http = createHttp({ logger: createLogger({ service: 'core', level: 'fatal' }), known: [] })
  t.teardown(() => http.close())
  http.get('/old', { config: { operation: old } }, async () => ({}))
  http.get('/failing', { config: { operation: old } }, async () => Promise.reject(new Error('no')))
  http.get('/new', { config: { operation: current } }, async () => ({}))
  for (const [url, status] of [
    ['/old', 200],
    ['/failing', 500],
  ] as const) {
    const { headers, statusCode } = await http.inject(url)
    t.equal(statusCode, status)
    t.equal(headers.deprecation, '@1767225600')
    t.equal(headers.sunset, 'Wed, 01 Jul 2026 00:00:00 GMT')
  }
  t.notMatch((await http.inject('/new')).headers, { deprecation: String })
})

t.test('an operation is announced at least six months before its removal', async (t) => {
  t.throws(() => operation(specOf('2026-01-01', '2026-06-30')), /6 months/)
  t.throws(() => operation(specOf('2026-01-01', 'soon')), /6 months/)
})
