/** TXT records, which prove a domain, and CNAMEs, which direct one to this installation. */
import t from 'tap'
import { dnsServer } from './dns-server.fixture.ts'
import { createDnsResolver } from './resolve.ts'

t.test('text records are joined from all their strings', async (t) => {
  const long = 'x'.repeat(600)
  const { server } = await dnsServer(t, { 'proof.example.com': { txt: ['one', long] } })
  const resolver = createDnsResolver({ servers: [server] })
  t.same((await resolver.resolveText('proof.example.com', 5_000)).sort(), ['one', long])
})

t.test('a missing name, record or response is no text', async (t) => {
  const { server } = await dnsServer(t, {
    'other.example.com': { a: ['192.0.2.1'] },
    'mute.example.com': { txt: 'silent' },
  })
  const resolver = createDnsResolver({ servers: [server] })
  for (const name of ['none.example.com', 'other.example.com', 'mute.example.com']) {
    t.same(await resolver.resolveText(name, 500), [], name)
  }
})

t.test('an alias, no alias and no response are distinguished', async (t) => {
  const { server } = await dnsServer(t, {
    'status.example.com': { cname: ['Pages.Example.NET'] },
    'plain.example.com': { a: ['192.0.2.1'] },
    'mute.example.com': { cname: 'silent' },
  })
  const resolver = createDnsResolver({ servers: [server] })
  const alias = (name: string) => resolver.resolveAlias(name, 500)
  t.same(await alias('status.example.com'), { isAnswered: true, target: 'pages.example.net' })
  t.same(await alias('plain.example.com'), { isAnswered: true, target: null })
  t.same(await alias('none.example.com'), { isAnswered: true, target: null })
  t.same(await alias('mute.example.com'), { isAnswered: false })
})
