/** Parsing, validation and limits of bodies. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { eventually, longestEventLoopBlock } from '@status-page/testing'
import t from 'tap'
import { THING_ID, testApp, writerHeaders } from './contract.test-kit.ts'
import { parseLargeJson } from './json.ts'

const json = { ...writerHeaders, 'content-type': 'application/json' }
const plain = { type: 'PLAIN', name: 'a' }
const linked = { type: 'LINKED', name: 'a', url: 'http://x.io/' }
const things = '/api/v1/things'

t.test('a body is parsed by its type, other types are 415', async (t) => {
  const { app, seen } = testApp(t)
  const text = JSON.stringify(plain)
  const cases: [string, Record<string, string>, number][] = [
    ['json', { 'content-type': 'application/json' }, 201],
    ['json with its charset', { 'content-type': 'application/json; charset=UTF-8' }, 201],
    ['json with a quoted charset', { 'content-type': 'application/json; charset="utf-8"' }, 201],
    ['another charset', { 'content-type': 'application/json; charset=latin1' }, 415],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['plain text', { 'content-type': 'text/plain' }, 415],
    ['no type', {}, 415],
    ['a broken type', { 'content-type': 'nonsense' }, 415],
    ['gzip', { 'content-type': 'application/json', 'content-encoding': 'gzip' }, 415],
    ['identity', { 'content-type': 'application/json', 'content-encoding': 'identity' }, 415],
  ]
  for (const [name, headers, status] of cases) {
    const response = await app.inject({
      method: 'POST',
      url: things,
      headers: { ...writerHeaders, ...headers },
      payload: Buffer.from(text),
    })
    t.equal(response.statusCode, status, name)
    if (status === 415) t.equal(response.json().error.code, 'UNSUPPORTED_MEDIA_TYPE', name)
  }
  t.equal(seen.calls.length, 3)
})

t.test('a body with too many values is rejected before it is parsed', async (t) => {
  const bytes = Buffer.from(`{"text":"${'[,'.repeat(300_000)}","list":[${'{},'.repeat(10)}{}]}`)
  t.match(await parseLargeJson(bytes), { list: { length: 11 } }, 'what stands in a text is text')
  const many = Buffer.from(`[${'{},'.repeat(1_700_000)}{}]`)
  const { holdMs } = await longestEventLoopBlock(() =>
    t.rejects(parseLargeJson(many), { message: 'body has more than 250000 values' }),
  )
  t.ok(holdMs < 100, `${holdMs} ms of processor time without a turn`)
  const deep = Buffer.from(`{"list":[${'0,'.repeat(100_000)}{"name":"\\u0000"}]}`)
  await t.rejects(parseLargeJson(deep), {
    message: 'list[100000].name holds the character U+0000',
  })
})

t.test('an empty body counts as none, whatever its type', async (t) => {
  const { app } = testApp(t)
  for (const type of ['application/json', 'text/plain', 'nonsense']) {
    const headers = { ...writerHeaders, 'content-type': type, 'content-length': '0' }
    const touch = await app.inject({ method: 'POST', url: `${things}/${THING_ID}/touch`, headers })
    t.equal(touch.statusCode, 200, type)
    const create = await app.inject({ method: 'POST', url: things, headers })
    t.equal(create.statusCode, 400, type)
    t.match(create.json().error.details, { field: 'type', expected: ['PLAIN', 'LINKED'] })
  }
})

t.test('a body above its limit is 413, one at the limit is read', async (t) => {
  const { app } = testApp(t)
  const sized = (bytes: number) => {
    const text = JSON.stringify({ ...plain, ignored: '' })
    return text.replace('""', `"${'x'.repeat(bytes - text.length)}"`)
  }
  for (const [bytes, status] of [
    [256 * 1024, 201],
    [256 * 1024 + 1, 413],
  ] as const) {
    const response = await app.inject({
      method: 'POST',
      url: things,
      headers: json,
      payload: sized(bytes),
    })
    t.equal(response.statusCode, status)
  }
})

t.test('prototype keys, deep nesting and malformed text are 400', async (t) => {
  const { app, seen } = testApp(t)
  const nest = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
  const cases: [string, string | Buffer][] = [
    ['__proto__', '{"type":"PLAIN","name":"a","__proto__":{"admin":true}}'],
    ['nested __proto__', '{"type":"PLAIN","name":"a","x":[{"__proto__":1}]}'],
    ['escaped __proto__', '{"\\u005f_proto__":1}'],
    ['constructor.prototype', '{"constructor":{"prototype":{}}}'],
    ['21 levels', `{"x":${nest(20)}}`],
    ['20,000 levels', nest(20_000)],
    ['U+0000', '{"type":"PLAIN","name":"a\\u0000"}'],
    ['U+0000 in a key', '{"a\\u0000":1}'],
    ['a lone surrogate', '{"type":"PLAIN","name":"\\ud800"}'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['no JSON', '{'],
    ['null', 'null'],
    ['a list', '[]'],
    ['a text', '"x"'],
  ]
  for (const [name, payload] of cases) {
    const response = await app.inject({ method: 'POST', url: things, headers: json, payload })
    t.equal(response.statusCode, 400, name)
    t.equal(response.json().error.code, 'VALIDATION_ERROR', name)
    t.type(response.json().error.details.field, 'string', name)
  }
  t.equal(seen.calls.length, 0)
  const twenty = `{"type":"PLAIN","name":"a","x":${nest(19)}}`
  const response = await app.inject({ method: 'POST', url: things, headers: json, payload: twenty })
  t.equal(response.statusCode, 201, '20 levels')
  const own = '{"type":"PLAIN","name":"a","constructor":"x"}'
  const harmless = await app.inject({ method: 'POST', url: things, headers: json, payload: own })
  t.equal(harmless.statusCode, 201, 'a constructor of text')
})

t.test('body values are never coerced; each problem names its field', async (t) => {
  const { app } = testApp(t)
  const cases: [string, object, string, unknown[] | undefined][] = [
    ['text for a number', { ...plain, size: '5' }, 'size', undefined],
    ['null for a text', { ...plain, name: null }, 'name', undefined],
    ['number for a text', { ...plain, name: 5 }, 'name', undefined],
    ['a fraction', { ...plain, size: 1.5 }, 'size', undefined],
    ['unknown tag', { type: 'OTHER', name: 'a' }, 'type', ['PLAIN', 'LINKED']],
    ['no tag', { name: 'a' }, 'type', ['PLAIN', 'LINKED']],
    ['a tag of another type', { type: 5, name: 'a' }, 'type', ['PLAIN', 'LINKED']],
    ['missing field', { type: 'PLAIN' }, 'name', undefined],
    [
      'nested',
      { ...linked, conditions: [{ kind: 'STATUS', target: '' }] },
      'conditions[0].target',
      undefined,
    ],
    [
      'nested enum',
      { ...linked, conditions: [{ kind: 'X', target: 'a' }] },
      'conditions[0].kind',
      ['STATUS', 'HEADER'],
    ],
    ['nullable', { ...linked, at: 5 }, 'at', undefined],
    ['nullable format', { ...linked, at: '2024-02-30T00:00:00Z' }, 'at', undefined],
    ['a map', { ...linked, headers: { a: 1 } }, 'headers.a', undefined],
    ['too many', { ...linked, headers: { a: '', b: '', c: '' } }, 'headers', undefined],
    ['above the limit', { ...plain, size: 6 }, 'size', undefined],
    ['11 characters', { ...plain, name: '12345678901' }, 'name', undefined],
    ['only invisible', { ...plain, name: '\u200b\u202e ' }, 'name', undefined],
    ['a line break', { ...plain, name: 'a\nb' }, 'name', undefined],
    ['a bell', { ...plain, note: 'a\u0007' }, 'note', undefined],
  ]
  for (const [name, payload, field, expected] of cases) {
    const response = await app.inject({ method: 'POST', url: things, headers: json, payload })
    t.equal(response.statusCode, 400, name)
    const { message, details } = response.json().error
    t.equal(details.field, field, name)
    t.same(details.expected, expected, name)
    t.equal(details.issues.length, 1, `${name}: reported once`)
    t.match(message, field, name)
  }
})

t.test('all problems are listed, at most 50', async (t) => {
  const { app } = testApp(t)
  const payload = { ...linked, name: 5, size: 9, url: 'ftp://x', at: 'soon' }
  const response = await app.inject({ method: 'POST', url: things, headers: json, payload })
  const { details } = response.json().error
  t.same(details.issues.map(({ field }: { field: string }) => field).sort(), [
    'at',
    'name',
    'size',
    'url',
  ])
})

t.test('unknown fields are dropped, defaults added, texts take their stored form', async (t) => {
  const { app, seen } = testApp(t)
  const payload = {
    ...linked,
    id: 'x',
    organizationId: 'y',
    name: 'a\u202eb\u200b ',
    url: 'HTTP://Example.com:80/a b'.replace(' ', '%20'),
    at: '2024-02-29T12:00:00.5+02:00',
    email: 'Ann@Example.COM',
    parentId: THING_ID.toUpperCase(),
    headers: { 'X-A': '1' },
    conditions: [{ kind: 'STATUS', target: 't', extra: 1 }],
  }
  const response = await app.inject({ method: 'POST', url: things, headers: json, payload })
  t.equal(response.statusCode, 201, response.body)
  t.same(seen.calls[0]?.body, {
    type: 'LINKED',
    name: 'ab ',
    size: 3,
    url: 'http://example.com/a%20b',
    at: '2024-02-29T10:00:00.500Z',
    email: 'ann@example.com',
    parentId: THING_ID,
    headers: { 'X-A': '1' },
    conditions: [{ kind: 'STATUS', target: 't' }],
  })
})

t.test('lengths count code points', async (t) => {
  const { app } = testApp(t)
  const payload = { type: 'PLAIN', name: '😀'.repeat(10) }
  const response = await app.inject({ method: 'POST', url: things, headers: json, payload })
  t.equal(response.statusCode, 201)
})

t.test('a form is decoded like a query', async (t) => {
  const { app, seen } = testApp(t)
  const headers = { ...writerHeaders, 'content-type': 'application/x-www-form-urlencoded' }
  const payload = 'List-Unsubscribe=One-Click&x=1'
  const response = await app.inject({ method: 'POST', url: `${things}/form`, headers, payload })
  t.equal(response.statusCode, 200, response.body)
  t.same(seen.calls[0]?.body, { 'List-Unsubscribe': 'One-Click' })
})

t.test('a client that still sends a body above the limit gets 413 and may continue', async (t) => {
  const { app } = testApp(t)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect((app.server.address() as { port: number }).port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  await once(socket, 'connect')
  let heard = ''
  socket.on('data', (bytes) => {
    heard += bytes
  })
  const size = 4 * 1024 * 1024
  const headers = { host: 'a', ...json, 'content-length': String(size) }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.write(`POST ${things} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n{`)
  await eventually(() => heard.startsWith('HTTP/1.1 413'))
  socket.write(Buffer.alloc(size - 1, ' '))
  socket.write('GET /health HTTP/1.1\r\nhost: a\r\n\r\n')
  await eventually(() => heard.includes('HTTP/1.1 200'))
  t.equal(heard.match(/HTTP\/1\.1/g)?.length, 2)
})
