/** The OpenAPI document: the whole API, as committed, and nothing that is not an operation. */
import { readFile } from 'node:fs/promises'
import { callersOf, fullPath, operations } from '@status-page/contracts'
import t from 'tap'
import { testGateway } from '../gateway.fixture.ts'
import { openApiDocument } from './document.ts'
import { documentFile, documentText } from './write.ts'

t.test('the committed document is what the contract says', async (t) => {
  t.equal(await readFile(documentFile, 'utf8'), documentText())
})

t.test('every operation of the gateway is in it, and no internal one', async (t) => {
  const document = openApiDocument() as { paths: Record<string, Record<string, unknown>> }
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const listed = operations
    .filter((one) => callersOf(one).includes('gateway'))
    .map((one) => `${one.method} ${fullPath(one)}`)
  t.same(described.sort(), listed.sort())
})

t.test('it names no format, keyword or secret of ours', async (t) => {
  const text = documentText()
  t.notMatch(text, /"format": "(one-line|long-text|mailbox|timestamp|http-url|time-zone)"/)
  t.notMatch(text, /"discriminator":|"secret": true/)
  t.notMatch(text, /sk_live_[\w-]{43}/)
})

t.test('the explorer and both texts are served, with a policy that lets them run', async (t) => {
  const gateway = await testGateway(t)
  const json = await gateway.http.inject({ url: '/api/docs/json' })
  t.equal(json.statusCode, 200)
  t.same(json.json(), openApiDocument())
  t.equal(json.headers['x-ratelimit-limit'], '60000')
  const yaml = await gateway.http.inject({ url: '/api/docs/yaml' })
  t.match(yaml.body, /^openapi: 3\.1\.0/)
  const page = await gateway.http.inject({ url: '/api/docs' })
  t.equal(page.statusCode, 200, page.body)
  t.match(page.headers['content-type'], 'text/html')
  t.match(String(page.headers['content-security-policy']), /script-src 'self'/)
  t.notMatch(String(page.headers['content-security-policy']), /upgrade-insecure/)
  const script = await gateway.http.inject({ url: '/api/docs/static/swagger-ui-bundle.js' })
  t.equal(script.statusCode, 200)
})
