/** API explorer: the OpenAPI document as JSON, as YAML and as an interactive page. */
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { SVG_CONTENT_TYPE, serviceIcon } from '../edge/service-icon.ts'
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

interface ExplorerSystem {
  fn: { resolveSubtree(document: object, ...rest: unknown[]): Promise<unknown> }
}

/**
 * Plugin of the explorer, sent to the browser as its text. Resolves references as in OpenAPI 3.0,
 * where they mean the same: the resolver of 3.1 takes more than ten seconds of processor time to
 * open the page at an operation, this one three. What is shown remains 3.1.
 */
const resolveAsOpenApi30 = ({ fn: { resolveSubtree } }: ExplorerSystem) => ({
  fn: {
    resolveSubtree: (document: object, ...rest: unknown[]) =>
      resolveSubtree({ ...document, openapi: '3.0.3' }, ...rest),
  },
})

/** Creates the document at the first request: few processes serve it. */
const document = { toJSON: () => (created ??= openApiDocument()) }
let created: ReturnType<typeof openApiDocument> | null = null

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
    logo: { type: SVG_CONTENT_TYPE, content: serviceIcon },
    theme: {
      title: `${TITLE}: API`,
      favicon: [
        {
          filename: 'favicon.svg',
          rel: 'icon',
          type: SVG_CONTENT_TYPE,
          sizes: 'any',
          content: serviceIcon,
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
      plugins: [resolveAsOpenApi30],
    },
  })
}
