/** The OpenAPI document is complete, committed, and contains nothing but the operations. */
import { readFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import {
  errorCodes,
  fullPath,
  httpStatusOf,
  isInternal,
  type Operation,
  operations,
} from '@status-page/contracts'
import { exampleOf } from '@status-page/contracts/examples'
import { compileDecoder, compileValidator } from '@status-page/service'
import t from 'tap'
import { openApiDocument } from './document.ts'
import { errorExamples, errorStatuses, operationErrors } from './errors.ts'
import { tagDescriptions } from './tags.ts'
import { documentFile, documentText } from './write.ts'

interface Response {
  $ref?: string
  headers?: Record<string, unknown>
  content?: Record<string, { schema: unknown; examples?: Record<string, unknown> }>
}
interface Described {
  operationId: string
  description: string
  responses: Record<string, Response>
}
interface Document {
  paths: Record<string, Record<string, Described>>
  tags: { name: string; description?: string }[]
  servers: { url: string }[]
  components: { responses: Record<string, Response>; examples: Record<string, unknown> }
}

const listed = operations.filter((operation) => !isInternal(operation))
const document = openApiDocument() as unknown as Document
const described = Object.values(document.paths).flatMap((methods) => Object.values(methods))

/** Resolves a reference into the document's components. */
const resolved = (response: Response): Response => {
  const name = response.$ref?.split('/').at(-1)
  return name === undefined ? response : (document.components.responses[name] ?? {})
}

t.test('the committed document equals the generated one', async (t) => {
  t.equal(await readFile(documentFile, 'utf8'), documentText())
})

t.test('the document contains every operation of the gateway and no internal one', async (t) => {
  const inDocument = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const inContract = listed.map((operation) => `${operation.method} ${fullPath(operation)}`)
  t.same(inDocument.sort(), inContract.sort())
})

t.test('the document contains no format, keyword or secret marker of the contract', async (t) => {
  const text = documentText()
  // Not `notMatch`, which computes the difference between the document and the pattern: 1.7 s.
  const found = (pattern: RegExp) => text.match(pattern)?.[0]
  t.equal(found(/"format": "(one-line|long-text|mailbox|timestamp|http-url|time-zone)"/), undefined)
  t.equal(found(/"discriminator":|"secret": true/), undefined)
  t.equal(found(/sk_live_[\w-]{43}/), undefined)
})

t.test('every tag has a description, and every description has a tag', async (t) => {
  t.same(document.tags.map(({ name }) => name).sort(), Object.keys(tagDescriptions).sort())
  for (const { name, description } of document.tags) t.match(description, /^[A-Z].*\.$/s, name)
})

t.test('the document names the installation that serves it as its server', async (t) => {
  t.same(
    document.servers.map(({ url }) => url),
    ['/'],
  )
})

t.test('every example of a body is valid for its operation', async (t) => {
  const judged = listed.filter(({ body, bodyType }) => body && bodyType !== 'multipart')
  for (const operation of judged) {
    const { body, bodies = { '': body } } = exampleOf(operation)
    for (const [name, value] of Object.entries(bodies)) t.same(problems(operation, value), [], name)
  }
})

t.test('every example of a reply is valid for its operation', async (t) => {
  for (const operation of listed) {
    const { reply } = exampleOf(operation)
    t.not(reply, undefined, operation.id)
    t.same(compileValidator(operation.reply, 'reply')(reply), [], operation.id)
  }
})

const problems = (operation: Operation, body: unknown) => {
  if (operation.body === undefined) return []
  return compileValidator(operation.body, 'body')(compileDecoder(operation.body)(body))
}

t.test('an invalid example is detected', async (t) => {
  const operation = listed.find(({ id }) => id === 'components.create') as Operation
  t.match(problems(operation, { type: 'SERVICE' }), [{ field: 'name' }])
})

t.test(
  'every error response has the error schema, an example and the rate limit headers',
  async (t) => {
    for (const { operationId, responses } of described) {
      const errors = Object.entries(responses).filter(([status]) => Number(status) >= 400)
      t.ok(errors.length >= 3, operationId)
      const incomplete = errors.filter(([status, response]) => !isComplete(status, response))
      t.same(
        incomplete.map(([status]) => status),
        [],
        operationId,
      )
    }
  },
)

const isComplete = (status: string, response: Response): boolean => {
  const { headers = {}, content } = resolved(response)
  const { schema, examples = {} } = content?.['application/json'] ?? {}
  const isRetried = status === '429' || status === '503'
  return (
    isDeepStrictEqual(schema, { $ref: '#/components/schemas/Error' }) &&
    Object.keys(examples).length > 0 &&
    'X-RateLimit-Limit' in headers &&
    'Retry-After' in headers === isRetried
  )
}

t.test('every error example has the status of its code', async (t) => {
  const codes = Object.values(errorExamples).map(({ value }) => value.error.code)
  // The document has no entry for a method that a path lacks, so that this error cannot occur in
  // it.
  t.same(
    errorCodes.filter((code) => !codes.includes(code)),
    ['METHOD_NOT_ALLOWED'],
  )
  for (const code of codes) t.ok(errorStatuses[httpStatusOf(code)], code)
})

t.test('errors of single operations belong to existing operations', async (t) => {
  const ids = new Set(listed.map(({ id }) => id))
  t.same(
    Object.keys(operationErrors).filter((id) => !ids.has(id)),
    [],
  )
})

t.test('every operation states its permission and its rate limit', async (t) => {
  for (const { operationId, description } of described) {
    t.match(description, /- Requires .+\.\n- Rate limit: \*.+\*/, operationId)
  }
})

t.test(
  "no schema has the name of another schema's constructor in a generated client",
  async (t) => {
    const { schemas } = document.components as unknown as { schemas: Record<string, unknown> }
    const names = Object.keys(schemas)
    t.same(
      names.filter((name) => /^New[A-Z]/.test(name)),
      [],
    )
    t.ok(names.includes('CreateGitSync'))
  },
)
