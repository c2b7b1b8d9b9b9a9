/** Paths, queries and versions: 404, 405, 400, and the input of a handler. */
import t from 'tap'
import { THING_ID, testApp, writerHeaders } from './contract.test-kit.ts'

const things = '/api/v1/things'

t.test('a query is decoded by its schema', async (t) => {
  const { app, seen } = testApp(t)
  const query = `page=2&pageSize=500&isOpen=true&search=a%20b%2B+c&include=parts,owner&unknown=1&unknown=2`
  const response = await app.inject({ url: `${things}?${query}`, headers: writerHeaders })
  t.equal(response.statusCode, 200, response.body)
  t.same(seen.calls[0]?.query, {
    page: 2,
    pageSize: 500,
    sortBy: 'name',
    isOpen: true,
    search: 'a b+ c',
    include: ['parts', 'owner'],
  })
})

t.test('an invalid query is 400 and names the parameter', async (t) => {
  const { app } = testApp(t)
  const cases: [string, string][] = [
    ['page=1e2', 'page'],
    ['page=0', 'page'],
    ['page=-1', 'page'],
    ['page=1.0', 'page'],
    ['page=', 'page'],
    ['page=100001', 'page'],
    [`page=${'9'.repeat(400)}`, 'page'],
    ['pageSize=0', 'pageSize'],
    ['page=1&page=1', 'page'],
    ['p%61ge=1&page=2', 'page'],
    ['sortBy=passwordHash', 'sortBy'],
    ['sortOrder=up', 'sortOrder'],
    ['isOpen=1', 'isOpen'],
    ['isOpen=toString', 'isOpen'],
    ['parentId=5', 'parentId'],
    ['search=', 'search'],
    [`search=${'a'.repeat(101)}`, 'search'],
    ['search=%ff', 'search'],
    ['search=%00', 'search'],
    ['include=secrets', 'include[0]'],
    ['from=yesterday', 'from'],
    ['from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'from'],
  ]
  for (const [query, field] of cases) {
    const response = await app.inject({ url: `${things}?${query}`, headers: writerHeaders })
    t.equal(response.statusCode, 400, query)
    t.equal(response.json().error.details.field, field, query)
  }
  const huge = await app.inject({
    url: `${things}?pageSize=${'9'.repeat(30)}`,
    headers: writerHeaders,
  })
  t.equal(huge.statusCode, 200, 'a page size has no upper bound')
})

t.test('a malformed id in a path is a 404, with a query or without', async (t) => {
  const { app } = testApp(t)
  for (const id of ['x', `${THING_ID}0`, '%00', '%ff', 'a'.repeat(600), '..%2f..']) {
    const response = await app.inject({ url: `${things}/${id}`, headers: writerHeaders })
    t.equal(response.statusCode, 404, id)
    t.equal(response.json().error.code, 'NOT_FOUND', id)
    t.ok(response.headers['x-request-id'], id)
  }
})

t.test('unknown paths are 404; known ones with another method 405 with Allow', async (t) => {
  const { app } = testApp(t)
  const cases: ['GET' | 'PUT' | 'DELETE' | 'POST', string, number, string | undefined][] = [
    ['GET', '/nowhere', 404, undefined],
    ['POST', '/api/v1/things/x/y/z', 404, undefined],
    ['GET', `${things}/`, 404, undefined],
    ['PUT', things, 405, 'GET, HEAD, POST'],
    ['DELETE', `${things}/${THING_ID}`, 405, 'GET, HEAD'],
    ['GET', `${things}/${THING_ID}/touch?x=1`, 405, 'POST'],
    ['POST', '/health', 405, 'GET, HEAD'],
  ]
  for (const [method, url, status, allow] of cases) {
    const response = await app.inject({ method, url, headers: writerHeaders })
    t.equal(response.statusCode, status, `${method} ${url}`)
    t.equal(response.headers.allow, allow, `${method} ${url}`)
  }
})

t.test('If-Match is a version in quotes', async (t) => {
  const { app, seen } = testApp(t)
  const touch = (ifMatch: string) =>
    app.inject({
      method: 'POST',
      url: `${things}/${THING_ID}/touch`,
      headers: { ...writerHeaders, 'if-match': ifMatch },
    })
  t.equal((await touch('"12"')).statusCode, 200)
  t.equal(seen.calls[0]?.ifMatch, 12)
  for (const malformed of ['12', 'W/"12"', '"x"', '*', '"1", "2"', '"-1"', '']) {
    const response = await touch(malformed)
    t.equal(response.statusCode, 400, malformed)
    t.equal(response.json().error.details.field, 'If-Match', malformed)
  }
})
