/** Readiness for pages while the check of Postgres receives no response. */
import Fastify from 'fastify'
import t from 'tap'
import { PAGE_READINESS_PATH, registerPageReadiness } from './page-readiness.ts'

for (const [hasStoredPages, statusCode, status] of [
  [true, 200, 'degraded'],
  [false, 503, 'unavailable'],
] as const) {
  const pages = hasStoredPages ? 'stored pages' : 'no stored page'
  t.test(`a check of Postgres that hangs, ${pages}: ${statusCode}`, async (t) => {
    const fastify = Fastify()
    t.teardown(() => fastify.close())
    const { promise: hangs } = Promise.withResolvers<never>()
    registerPageReadiness(fastify, {
      health: { readiness: () => hangs },
      pages: { hasStoredPages: () => hasStoredPages },
    })
    const response = await fastify.inject(PAGE_READINESS_PATH)
    t.equal(response.statusCode, statusCode)
    t.same(response.json(), { status, checks: { postgres: 'unavailable' } })
  })
}
