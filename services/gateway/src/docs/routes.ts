/** The explorer: the OpenAPI document as JSON, as YAML, and to be tried out. */
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { openApiDocument } from './document.ts'

const PREFIX = '/api/docs'

export const registerDocs = async (fastify: FastifyInstance, baseUrl: string): Promise<void> => {
  const isSecure = new URL(baseUrl).protocol === 'https:'
  await fastify.register(swagger, {
    mode: 'static',
    specification: { document: openApiDocument() as never },
  })
  await fastify.register(swaggerUi, {
    routePrefix: PREFIX,
    staticCSP: true,
    // Over plain http the upgrade would ask for scripts that nobody serves.
    transformStaticCSP: (header) =>
      isSecure ? header : header.replace(/\s*upgrade-insecure-requests;?/, ''),
    uiConfig: { persistAuthorization: false, deepLinking: true },
    validatorUrl: false,
  })
}
