/** API explorer over HTTP: title, content security policy, stored data. */
import t from 'tap'
import { testGateway } from '../gateway.fixture.ts'
import { openApiDocument } from './document.ts'

const gateway = await testGateway(t)
const get = (url: string) => gateway.http.inject({ url })

t.test('JSON and YAML versions contain the document and charge the public bucket', async (t) => {
  const json = await get('/api/docs/json')
  t.equal(json.statusCode, 200)
  t.same(json.json(), openApiDocument())
  t.equal(json.headers['x-ratelimit-limit'], '60000')
  const yaml = await get('/api/docs/yaml')
  t.match(yaml.body, /^openapi: 3\.1\.0/)
})

t.test('the page has the title and icon of the service', async (t) => {
  const page = await get('/api/docs')
  t.equal(page.statusCode, 200, page.body)
  t.match(page.headers['content-type'], 'text/html')
  t.match(page.body, '<title>Status page service: API</title>')
  const icon = await get('/api/docs/static/theme/favicon.svg')
  t.match(icon.headers['content-type'], 'image/svg+xml')
  t.match(page.body, '/api/docs/static/theme/favicon.svg')
  t.notMatch(page.body, 'favicon-32x32')
})

t.test('the content security policy blocks inline and external scripts', async (t) => {
  const page = await get('/api/docs')
  const policy = String(page.headers['content-security-policy'])
  t.match(policy, "default-src 'none'; script-src 'self'; style-src 'self';")
  t.notMatch(policy, /unsafe|https?:|\*/)
  t.notMatch(page.body, /<script>|<style| on\w+=/)
})

t.test('the page stores no credential', async (t) => {
  const script = await get('/api/docs/static/swagger-initializer.js')
  t.match(script.body, '"persistAuthorization":false')
  t.equal((await get('/api/docs/static/swagger-ui-bundle.js')).statusCode, 200)
})
