/** The OpenAPI document: the whole API, as committed, and nothing that is not an operation. */
import { readFile } from 'node:fs/promises'
import {
  errorCodes,
  fullPath,
  isInternal,
  type Operation,
  operations,
  statusOf,
} from '@status-page/contracts'
import { compile, decoderOf } from '@status-page/service'
import t from 'tap'
import { openApiDocument } from './document.ts'
import { errorExamples, errorStatuses, operationErrors } from './errors.ts'
import { exampleOf } from './examples/index.ts'
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

const listed = operations.filter((one) => !isInternal(one))
const document = openApiDocument() as unknown as Document
const described = Object.values(document.paths).flatMap((methods) => Object.values(methods))

/** References into the components are followed. */
const resolved = (response: Response): Response => {
  const name = response.$ref?.split('/').at(-1)
  return name === undefined ? response : (document.components.responses[name] ?? {})
}

t.test('the committed document is what the contract says', async (t) => {
  t.equal(await readFile(documentFile, 'utf8'), documentText())
})

t.test('every operation of the gateway is in it, and no internal one', async (t) => {
  const inDocument = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const inContract = listed.map((one) => `${one.method} ${fullPath(one)}`)
  t.same(inDocument.sort(), inContract.sort())
})

t.test('it names no format, keyword or secret of ours', async (t) => {
  const text = documentText()
  t.notMatch(text, /"format": "(one-line|long-text|mailbox|timestamp|http-url|time-zone)"/)
  t.notMatch(text, /"discriminator":|"secret": true/)
  t.notMatch(text, /sk_live_[\w-]{43}/)
})

t.test('every noun has a sentence, and no sentence is left over', async (t) => {
  t.same(document.tags.map(({ name }) => name).sort(), Object.keys(tagDescriptions).sort())
  for (const { name, description } of document.tags) t.match(description, /^[A-Z].*\.$/s, name)
})

t.test('every host that serves the document is a server of it', async (t) => {
  t.same(
    document.servers.map(({ url }) => url),
    ['/'],
  )
})

t.test('examples of bodies are taken by the operation, as they stand', async (t) => {
  const judged = listed.filter(({ body, bodyType }) => body && bodyType !== 'multipart')
  for (const one of judged) {
    const { body, bodies = { '': body } } = exampleOf(one)
    for (const [name, value] of Object.entries(bodies)) t.same(problems(one, value), [], name)
  }
})

t.test('examples of replies are what the contract promises', async (t) => {
  for (const one of listed) {
    const { reply } = exampleOf(one)
    t.not(reply, undefined, one.id)
    t.same(compile(one.reply, 'reply')(reply), [], one.id)
  }
})

const problems = (one: Operation, body: unknown) => {
  if (one.body === undefined) return []
  return compile(one.body, 'body')(decoderOf(one.body)(body))
}

t.test('a wrong example would be found', async (t) => {
  const one = listed.find(({ id }) => id === 'components.create') as Operation
  t.match(problems(one, { type: 'SERVICE' }), [{ field: 'name' }])
})

t.test('every refusal has the schema of errors, an example and the limit headers', async (t) => {
  for (const { operationId, responses } of described) {
    const errors = Object.entries(responses).filter(([status]) => Number(status) >= 400)
    t.ok(errors.length >= 3, operationId)
    for (const [status, response] of errors) {
      const { headers = {}, content } = resolved(response)
      const media = content?.['application/json']
      t.same(media?.schema, { $ref: '#/components/schemas/Error' })
      t.not(Object.keys(media?.examples ?? {}).length, 0, `${operationId} ${status}`)
      t.ok('X-RateLimit-Limit' in headers, `${operationId} ${status}`)
      t.equal('Retry-After' in headers, status === '429' || status === '503')
    }
  }
})

t.test('an example of an error stands at the status of its code', async (t) => {
  const codes = Object.values(errorExamples).map(({ value }) => value.error.code)
  // A path of the document with a method that it lacks is in no document.
  t.same(
    errorCodes.filter((code) => !codes.includes(code)),
    ['METHOD_NOT_ALLOWED'],
  )
  for (const code of codes) t.ok(errorStatuses[statusOf(code)], code)
})

t.test('refusals of their own belong to operations that exist', async (t) => {
  const ids = new Set(listed.map(({ id }) => id))
  t.same(
    Object.keys(operationErrors).filter((id) => !ids.has(id)),
    [],
  )
})

t.test('every operation says what it needs and which limit it charges', async (t) => {
  for (const { operationId, description } of described) {
    t.match(description, /- Needs .+\.\n- Rate limit: \*.+\*/, operationId)
  }
})

t.test('no schema is named as the constructor of another in a generated client', async (t) => {
  const { schemas } = document.components as unknown as { schemas: Record<string, unknown> }
  const names = Object.keys(schemas)
  t.same(
    names.filter((name) => /^New[A-Z]/.test(name)),
    [],
  )
  t.ok(names.includes('CreateGitSync'))
})
