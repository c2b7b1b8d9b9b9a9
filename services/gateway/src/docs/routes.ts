/** API explorer: the OpenAPI document as JSON, as YAML and as an interactive page. */
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { openApiDocument, TITLE } from './document.ts'

const PREFIX = '/api/docs'

/**
 * Content security policy without external and inline content; images of the style sheet are data
 * URLs.
 */
const policy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
}

const favicon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#14532d"/>
<path d="M6 17h5l3-8 4 14 3-6h5" fill="none" stroke="#fff" stroke-width="2.5"
 stroke-linecap="round" stroke-linejoin="round"/></svg>`

const document = openApiDocument()

export const registerDocs = async (fastify: FastifyInstance): Promise<void> => {
  await fastify.register(swagger, {
    mode: 'static',
    specification: { document: document as never },
  })
  await fastify.register(swaggerUi, {
    routePrefix: PREFIX,
    staticCSP: policy,
    validatorUrl: false,
    // The logo belongs to the top bar of another layout; its inline style would violate the policy.
    logo: { type: 'image/svg+xml', content: favicon },
    theme: {
      title: `${TITLE}: API`,
      favicon: [
        {
          filename: 'favicon.svg',
          rel: 'icon',
          type: 'image/svg+xml',
          sizes: 'any',
          content: favicon,
        },
      ],
    },
    uiConfig: {
      layout: 'BaseLayout',
      deepLinking: true,
      displayOperationId: true,
      displayRequestDuration: true,
      docExpansion: 'none',
      filter: true,
      persistAuthorization: false,
    },
  })
}
