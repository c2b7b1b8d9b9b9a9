/**
 * Readiness for public pages. While Postgres is unavailable, a gateway refuses the API but serves
 * the pages that it has cached; a load balancer that takes it out of service would take the pages
 * offline.
 */
import { withTimeout } from '@status-page/concurrency'
import type { Health } from '@status-page/service'
import type { FastifyInstance } from 'fastify'

export const PAGE_READINESS_PATH = '/readyz/pages'

/** Load balancers wait 2 s or more; a check of a Postgres that does not respond lasts 5 s. */
const CHECK_TIMEOUT_MS = 1_500

export interface PageReadinessDeps {
  health: Pick<Health, 'readiness'>
  pages: { hasStoredPages(): boolean }
}

export const registerPageReadiness = (
  fastify: FastifyInstance,
  { health, pages }: PageReadinessDeps,
): void => {
  fastify.get(PAGE_READINESS_PATH, async (_request, reply) => {
    const { ready, checks } = await withTimeout(health.readiness(), CHECK_TIMEOUT_MS, () => ({
      ready: false,
      checks: { postgres: 'unavailable' },
    }))
    const isReady = ready || (checks.postgres === 'unavailable' && pages.hasStoredPages())
    const status = ready ? 'ok' : isReady ? 'degraded' : 'unavailable'
    return reply.code(isReady ? 200 : 503).send({ status, checks })
  })
}
