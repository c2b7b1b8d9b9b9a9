import t from 'tap'
import { checkHeaders, MAX_HEADERS } from './headers.ts'

t.test('ordinary headers of a tenant pass', async (t) => {
  t.same(checkHeaders({}), { ok: true })
  t.same(
    checkHeaders({ Accept: '*/*', Authorization: 'Bearer a.b-c~', Cookie: 'a=b; c=d', 'x-e': '' }),
    {
      ok: true,
    },
  )
  const fifty = Object.fromEntries(Array.from({ length: MAX_HEADERS }, (_, i) => [`x-${i}`, 'v']))
  t.equal(checkHeaders(fifty).ok, true)
  t.equal(checkHeaders({ ...fifty, more: 'v' }).ok, false)
})

t.test(
  'headers that control the connection or open metadata are rejected in any case',
  async (t) => {
    const names = [
      'Host',
      'EXPECT',
      'connection',
      'Content-Length',
      'Transfer-Encoding',
      'TE',
      'Trailer',
      'Upgrade',
      'Keep-Alive',
      'HTTP2-Settings',
      'Proxy-Authorization',
      'proxy-anything',
      'Accept-Encoding',
      'Metadata',
      'Metadata-Flavor',
      'X-Google-Metadata-Request',
      'X-aws-ec2-metadata-token',
      'X-aws-ec2-metadata-token-ttl-seconds',
      'Metadata-Token',
    ]
    for (const name of names) t.equal(checkHeaders({ [name]: 'x' }).ok, false, name)
  },
)

t.test('names are tokens, values printable, sizes bounded, and no name repeats', async (t) => {
  for (const name of ['', 'a b', 'a:b', 'a\r\nb', 'ä', 'a\u0000', '(a)']) {
    t.equal(checkHeaders({ [name]: 'x' }).ok, false, JSON.stringify(name))
  }
  for (const value of ['a\r\nX-B: b', 'a\nb', 'a\u0000', 'ä', '\u007f', 'a\tb']) {
    t.equal(checkHeaders({ 'x-a': value }).ok, false, JSON.stringify(value))
  }
  t.equal(checkHeaders({ 'X-A': '1', 'x-a': '2' }).ok, false)
  t.equal(checkHeaders({ a: 'v'.repeat(8191) }).ok, true)
  t.equal(checkHeaders({ a: 'v'.repeat(8192) }).ok, false)
})
