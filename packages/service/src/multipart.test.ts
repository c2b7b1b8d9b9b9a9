/** Uploads: streaming of parts, and rejections. */
import t from 'tap'
import { testApp, writerHeaders } from './contract.test-kit.ts'

const things = '/api/v1/things'

t.test('an upload arrives part by part; what is not multipart is 400', async (t) => {
  const { app } = testApp(t)
  const form = new FormData()
  form.append('note', 'x')
  form.append('file', new File(['a,b'], 'x.csv', { type: 'text/csv' }))
  form.append('last', 'y')
  const request = new Request('http://local', { method: 'POST', body: form })
  const payload = Buffer.from(await request.arrayBuffer())
  const type = request.headers.get('content-type') ?? ''
  const upload = (contentType: string, body: Buffer) =>
    app.inject({
      method: 'POST',
      url: `${things}/upload`,
      headers: { ...writerHeaders, 'content-type': contentType },
      payload: body,
    })
  const good = await upload(type, payload)
  t.same(good.json().got, [['note', 'x'], 'a,b', ['last', 'y']])
  t.equal((await upload(type, Buffer.from('nonsense'))).statusCode, 400)
  t.equal((await upload('multipart/form-data', payload)).statusCode, 400)
  t.equal((await upload('application/json', Buffer.from('{}'))).statusCode, 415)
  t.equal((await upload(type, Buffer.alloc(2049))).statusCode, 413)
})

t.test('a part without a name is 400 and names its field', async (t) => {
  const { app } = testApp(t)
  const headers = { ...writerHeaders, 'content-type': 'multipart/form-data; boundary=x' }
  const named = 'Content-Disposition: form-data; name="note"\r\n\r\n1'
  for (const disposition of ['form-data', 'form-data; name=""', 'form-data; filename="a.csv"']) {
    const part = `Content-Disposition: ${disposition}\r\n\r\n2`
    const payload = `--x\r\n${named}\r\n--x\r\n${part}\r\n--x--\r\n`
    const response = await app.inject({ method: 'POST', url: `${things}/upload`, headers, payload })
    t.equal(response.statusCode, 400, disposition)
    t.equal(response.json().error.details.field, 'parts[1].name', disposition)
  }
})

t.test('an upload is rejected as soon as it is too large or compressed', async (t) => {
  const { app } = testApp(t)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as { port: number }
  const upload = async (size: number, headers: Record<string, string> = {}) => {
    const form = new FormData()
    form.append('file', new File(['x'.repeat(size)], 'x.csv'))
    form.append('file', new File(['second'], 'y.csv'))
    const packed = new Response(form)
    const contentType = packed.headers.get('content-type') ?? ''
    // A stream has no Content-Length to check in advance.
    const streamed: RequestInit & { duplex: 'half' } = {
      method: 'POST',
      body: packed.body,
      duplex: 'half',
      headers: { ...writerHeaders, ...headers, 'content-type': contentType },
    }
    const response = await fetch(`http://127.0.0.1:${port}${things}/upload`, streamed)
    return { status: response.status, text: await response.text() }
  }
  t.equal((await upload(64 * 1024)).status, 413)
  t.equal((await upload(10, { 'content-encoding': 'gzip' })).status, 415)
  const two = await upload(10)
  t.equal(two.status, 400)
  t.match(two.text, /one file/)
})
