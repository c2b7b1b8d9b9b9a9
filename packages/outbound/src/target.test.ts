import t from 'tap'
import { outboundPolicy } from './policy.ts'
import { checkSmtpServer, checkUrl } from './target.ts'

const strict = outboundPolicy({ allowCidrs: [], ownHosts: ['core.example.net:3001'] })
const open = outboundPolicy({ allowCidrs: ['127.0.0.0/8', '10.0.0.0/8'], ownHosts: [] })

const reasonOf = (text: string, policy = strict): string => {
  const verdict = checkUrl(text, policy)
  return verdict.ok ? 'allowed' : verdict.reason
}

t.test('every spelling of an internal address is blocked', async (t) => {
  const spellings = [
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://017700000001/',
    'http://%31%32%37.0.0.1/',
    'http://１２７.0.0.1/',
    'http://127。0。0。1/',
    'http://127.0.0.1./',
    'http://0/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://a.localhost/',
    'http://169.254.169.254/latest/',
    'http://0251.0376.0251.0376/',
    'http://metadata.google.internal/',
    'http://metadata/',
    'http://10.1.2.3:8080/',
    'http://redis/',
    'http://printer.local/',
    'http://a.localdomain/',
    'http://db.internal/',
    'http://nas.lan/',
    'http://x.home.arpa/',
    'http://core.default.svc/',
    'http://x.onion/',
    'http://core.example.net:3001/',
    'http://example.com:22/',
    'http://example.com:25/',
    'http://example.com:6667/',
    'http://example.com:587/',
    'http://example.com:0/',
    'http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/',
  ]
  for (const text of spellings) t.equal(reasonOf(text), 'blocked', text)
})

t.test('every scheme has the address rules, and ports of its own', async (t) => {
  const schemes = ['tcp', 'tls']
  const reasonFor = (text: string) => {
    const verdict = checkUrl(text, strict, { schemes })
    return verdict.ok ? 'allowed' : verdict.reason
  }
  for (const scheme of schemes) {
    const table = {
      [`${scheme}://example.com:22`]: 'allowed',
      [`${scheme}://example.com:993`]: 'allowed',
      [`${scheme}://[2606:4700:4700::1111]:443`]: 'allowed',
      [`${scheme}://example.com`]: 'invalid',
      [`${scheme}://example.com:65536`]: 'invalid',
      [`${scheme}://example.com:0`]: 'blocked',
      [`${scheme}://example.com:25`]: 'blocked',
      [`${scheme}://example.com:465`]: 'blocked',
      [`${scheme}://example.com:587`]: 'blocked',
      [`${scheme}://core.example.net:3001`]: 'blocked',
      [`${scheme}://127.0.0.1:5432`]: 'blocked',
      [`${scheme}://2130706433:5432`]: 'blocked',
      [`${scheme}://0x7f.1:5432`]: 'blocked',
      [`${scheme}://[::ffff:127.0.0.1]:5432`]: 'blocked',
      [`${scheme}://localhost:5432`]: 'blocked',
      [`${scheme}://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:5432`]: 'blocked',
      [`${scheme}://169.254.169.254:80`]: 'blocked',
      [`${scheme}://metadata.google.internal:80`]: 'blocked',
      [`${scheme}://10.1.2.3:5432`]: 'blocked',
    }
    for (const [text, reason] of Object.entries(table)) t.equal(reasonFor(text), reason, text)
  }
})

t.test('DNS queries go to DNS servers and unprivileged ports', async (t) => {
  const table = {
    'dns://8.8.8.8/example.com': 'allowed',
    'dns://8.8.8.8:5353/example.com': 'allowed',
    'dns://dns.example/example.com?type=MX': 'allowed',
    'dns://8.8.8.8:389/example.com': 'blocked',
    'dns://8.8.8.8:0/example.com': 'blocked',
    'dns://8.8.8.8:65536/example.com': 'invalid',
    'dns://127.0.0.53/example.com': 'blocked',
    'dns://10.0.0.2/example.com': 'blocked',
    'dns://localhost/example.com': 'blocked',
  }
  for (const [text, reason] of Object.entries(table)) {
    const verdict = checkUrl(text, strict, { schemes: ['dns'] })
    t.equal(verdict.ok ? 'allowed' : verdict.reason, reason, text)
  }
})

t.test('a text that a parser would correct is rejected before it is parsed', async (t) => {
  const texts = [
    '',
    'example.com',
    '//example.com/',
    'http:example.com',
    'http:/example.com',
    'http:///example.com',
    ' http://example.com/',
    'http://example.com/ ',
    'http://exa\tmple.com/',
    'http://example.com/\n',
    'http://example.com\\@127.0.0.1/',
    'http:\\\\example.com/',
    'http://a\ud800.com/',
    'http://a\u0000.com/',
    'http://user@example.com/',
    'http://user:pass@example.com/',
    'http://@example.com/',
    'http://127.0.0.1%2f@example.com/',
    'http://127.0.0.1#@example.com\u00a0/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'gopher://example.com/',
    'javascript:alert(1)',
    'http://',
    'http://?x',
    'http://#',
    'http://example.com:99999/',
    'http://example..com/',
    'http://example.com../',
    'http://.example.com/',
    'http://[::1',
    'http://[fe80::1%25eth0]/',
    'http://1.2.3.4.5/',
    'http://256.1.1.1/',
    `http://example.com/${'a'.repeat(2048)}`,
    `http://${'a.'.repeat(140)}com/`,
    'http://a%20b.com/',
  ]
  for (const text of texts) t.equal(reasonOf(text), 'invalid', JSON.stringify(text))
})

t.test('names that resemble an internal address pass', async (t) => {
  const texts = [
    'https://127.0.0.1.example.com/',
    'https://localhost.example.com/',
    'https://example.com/127.0.0.1',
    'https://example.com/?u=http://127.0.0.1/@x',
    'https://example.com/a@b',
    'https://internal.example.com/',
    'https://local.example/',
    'https://svc-a.example.org:8443/',
    'http://8.8.8.8/',
    'http://100.128.0.1/',
    'http://[2606:4700:4700::1111]/',
    'HTTPS://EXAMPLE.COM/',
    'https://bücher.example/',
    'https://metadata.example.com/',
    'https://core.example.net/',
    'http://example.com:8080/',
    'https://a_b.example.com/',
  ]
  for (const text of texts) t.equal(reasonOf(text), 'allowed', text)
})

t.test('an accepted URL is canonical', async (t) => {
  const hrefOf = (text: string) => {
    const verdict = checkUrl(text, strict)
    return verdict.ok ? verdict.url.href : verdict.message
  }
  t.equal(hrefOf('HTTPS://Example.COM.:443/a/../b?q=1#part'), 'https://example.com/b?q=1')
  t.equal(hrefOf('https://bücher.example'), 'https://xn--bcher-kva.example/')
})

t.test('only https is accepted where only https is allowed', async (t) => {
  const verdict = checkUrl('http://example.com/', strict, { schemes: ['https'] })
  t.same(verdict, { ok: false, reason: 'invalid', message: 'must begin with https://' })
  t.equal(checkUrl('https://example.com/', strict, { schemes: ['https'] }).ok, true)
})

t.test('a host of another scheme is converted and validated like one of http', async (t) => {
  const hrefOf = (text: string) => {
    const verdict = checkUrl(text, strict, { schemes: ['tcp'] })
    return verdict.ok ? verdict.url.href : verdict.message
  }
  t.equal(hrefOf('TCP://Example.COM.:5432'), 'tcp://example.com:5432')
  t.equal(hrefOf('tcp://bücher.example:80'), 'tcp://xn--bcher-kva.example:80')
  t.equal(hrefOf('tcp://[2606:4700:4700:0::1111]:443'), 'tcp://[2606:4700:4700::1111]:443')
  t.equal(hrefOf('tcp://example.com'), 'must have a port')
  t.equal(hrefOf('tcp://example.com:65536'), 'is not a valid URL')
  t.equal(hrefOf('tcp://a%20b.com:80'), 'is not a valid URL')
  t.equal(hrefOf('tcp://:80'), 'is not a valid URL')
  t.equal(hrefOf('http://example.com/'), 'must begin with tcp://')
  const internal = [
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '１２７.0.0.1',
    '[::1]',
    'LOCALHOST',
    'db.lan',
  ]
  for (const host of internal) t.match(hrefOf(`tcp://${host}:5432`), /not (allowed|public)/, host)
})

t.test(
  'an allow list opens its ranges and local names, never metadata names or mail ports',
  async (t) => {
    for (const text of [
      'http://127.0.0.1:8080/',
      'http://localhost/',
      'http://10.0.0.9/',
      'http://redis:8080/',
      'http://a.svc/',
    ]) {
      t.equal(reasonOf(text, open), 'allowed', text)
    }
    for (const text of [
      'http://192.168.0.1/',
      'http://[::1]/',
      'http://metadata.google.internal/',
      'http://127.0.0.1:25/',
    ]) {
      t.equal(reasonOf(text, open), 'blocked', text)
    }
  },
)

t.test('a mail server is a public host at a mail port', async (t) => {
  const verdictOf = (host: string, port = 587) => {
    const verdict = checkSmtpServer({ host, port }, strict)
    return verdict.ok ? verdict.host : verdict.reason
  }
  t.equal(verdictOf('Mail.Example.com.'), 'mail.example.com')
  for (const port of [25, 465, 587, 2525])
    t.equal(verdictOf('mail.example.com', port), 'mail.example.com')
  for (const port of [22, 80, 6379, 0]) {
    t.equal(verdictOf('mail.example.com', port), 'blocked')
    t.match(checkSmtpServer({ host: 'mail.example.com', port }, strict), { part: 'port' })
  }
  for (const host of ['127.0.0.1', '0x7f.1', '2130706433', '::1', '[::1]', 'localhost', 'mail']) {
    t.equal(verdictOf(host), 'blocked', host)
  }
  for (const host of [
    '',
    'a b',
    'a/b',
    'a@b',
    'a:25',
    'a..b',
    'http://a',
    'a#b',
    'a?b',
    'a\r\nb',
  ]) {
    t.equal(verdictOf(host), 'invalid', JSON.stringify(host))
  }
})
