/** Icon of the service, for browsers on account pages and for the API explorer. */
import type { FastifyInstance } from 'fastify'

export const FAVICON_PATH = '/favicon.ico'
export const SVG_CONTENT_TYPE = 'image/svg+xml'

const MAX_AGE_SECONDS = 86_400

/** The text of `packages/dashboard/src/favicon.svg`, which the gateway is deployed without. */
export const serviceIcon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
  <title>Status</title>
  <rect width="32" height="32" rx="7" fill="#2b4acb" />
  <path d="M6 17h5l3-8 4 14 3-6h5" fill="none" stroke="#fff" stroke-width="2.5"
    stroke-linecap="round" stroke-linejoin="round" />
</svg>
`

/**
 * Browsers request the path for documents without an icon. Those that do not render SVG icons, such
 * as older versions of Safari, show an icon of their own.
 */
export const registerFavicon = (fastify: FastifyInstance): void => {
  fastify.get(FAVICON_PATH, { config: { isStaticFile: true } }, (_request, reply) =>
    reply
      .type(SVG_CONTENT_TYPE)
      .header('cache-control', `public, max-age=${MAX_AGE_SECONDS}`)
      .send(serviceIcon),
  )
}
