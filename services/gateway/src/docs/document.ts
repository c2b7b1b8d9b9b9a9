/** OpenAPI document of the whole API, generated from the list of operations. */
import { fullPath, isInternal, operations } from '@status-page/contracts'
import { errorDetailsSchema, errorExamples, errorSchema } from './errors.ts'
import { headerComponents } from './headers.ts'
import { introductionText } from './introduction.ts'
import { describeOperation, sharedResponses, tagOf } from './operations.ts'
import { createConverter, type JsonObject } from './schemas.ts'
import { tagDescriptions } from './tags.ts'

export const TITLE = 'Status page service'

/** Returns the document of the API at the gateway; internal operations are not included. */
export const openApiDocument = (): JsonObject => {
  const { components, convert } = createConverter()
  const listed = operations.filter((operation) => !isInternal(operation))
  const paths: Record<string, Record<string, JsonObject>> = {}
  for (const operation of listed) {
    const path = fullPath(operation)
    paths[path] = {
      ...paths[path],
      [operation.method.toLowerCase()]: describeOperation(operation, convert),
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: TITLE,
      version: '1.0.0',
      description: introductionText(listed),
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: '/', description: 'This installation' }],
    security: [{ apiKey: [] }, { session: [] }],
    tags: [...new Set(listed.map(tagOf))].map((name) => ({
      name,
      description: tagDescriptions[name],
    })),
    paths,
    components: {
      securitySchemes,
      headers: headerComponents,
      responses: sharedResponses,
      examples: errorExamples,
      schemas: { Error: errorSchema, ErrorDetails: errorDetailsSchema, ...sorted(components) },
    },
  }
}

const securitySchemes = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'sk_live_ and 43 characters',
    description: 'An API key, created under *api-keys*.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-session',
    description:
      'Set by login and sent by the browser; no value is needed here. The cookie is named ' +
      '`session` when the installation is served over http.',
  },
}

const sorted = (components: Record<string, JsonObject>) =>
  Object.fromEntries(
    Object.entries(components).sort(([left], [right]) => left.localeCompare(right)),
  )
