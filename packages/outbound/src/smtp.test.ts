import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { selfSignedCertificate } from '@status-page/testing'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import t, { type Test } from 'tap'
import { dnsServer } from './dns-server.fixture.ts'
import { listening } from './loopback.fixture.ts'
import { createOutbound } from './outbound.ts'
import { outboundPolicy, type PolicyOptions } from './policy.ts'
import { createDnsResolver } from './resolve.ts'
import type { Mail, SmtpServer } from './smtp.ts'

const mail: Mail = {
  from: { name: 'Status', address: 'status@example.com' },
  to: { address: 'reader@example.org' },
  subject: 'API errors',
  text: 'Investigating.',
  messageId: '<delivery-1@status.example.com>',
  headers: { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
}

interface Received {
  from: string
  to: string[]
  source: string
  isSecure: boolean
}

const refusal = (reply: string): Error =>
  Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) })

/** Mail server that stores received mail; `options` override its replies. */
const sink = async (t: Test, options: SMTPServerOptions = {}) => {
  const received: Received[] = []
  const server = new SMTPServer({
    disabledCommands: options.secure || options.key ? [] : ['STARTTLS'],
    authOptional: true,
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        received.push({
          from: session.envelope.mailFrom ? session.envelope.mailFrom.address : '',
          to: session.envelope.rcptTo.map(({ address }) => address),
          source: Buffer.concat(chunks).toString(),
          isSecure: session.secure,
        })
        done()
      })
    },
    ...options,
  })
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  t.teardown(() => new Promise<void>((closed) => server.close(() => closed())))
  return { received, port: (server.server.address() as AddressInfo).port }
}

const mailerFor = (
  t: Test,
  server: Partial<SmtpServer> & { port: number },
  policy: Partial<PolicyOptions> = {},
  extraAuthorities: string[] = [],
) => {
  const outbound = createOutbound({
    policy: outboundPolicy({
      allowCidrs: ['127.0.0.0/8'],
      ownHosts: [],
      smtpPorts: [server.port],
      ...policy,
    }),
    extraAuthorities,
  })
  t.teardown(() => outbound.close())
  const mailer = outbound.smtp({ host: '127.0.0.1', secure: false, ...server })
  return {
    send: (change: Partial<Mail> = {}, timeoutMs = 5_000) =>
      mailer.send({ ...mail, ...change }, { timeoutMs }),
  }
}

t.test('a mail arrives with its id and headers, for one recipient', async (t) => {
  const { port, received } = await sink(t)
  const { send } = mailerFor(t, { port })
  t.match(await send({ html: '<p>Investigating.</p>' }), { ok: true, response: /^250/ })
  t.match(received, [{ from: 'status@example.com', to: ['reader@example.org'] }])
  const source = received[0]?.source ?? ''
  t.match(source, /^Message-ID: <delivery-1@status\.example\.com>\r$/m)
  t.match(source, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m)
})

t.test('no text adds a recipient or a header', async (t) => {
  const { port, received } = await sink(t)
  const { send } = mailerFor(t, { port })
  const evil = 'x\r\nBcc: evil@example.com'
  await send({
    subject: evil,
    from: { name: evil, address: 'status@example.com' },
    to: { name: 'a, evil@example.com', address: 'reader@example.org' },
    headers: { 'List-Id': evil },
  })
  t.same(received[0]?.to, ['reader@example.org'])
  t.notMatch(received[0]?.source, /^Bcc:/im)
  const addresses = [
    'a@x.com,b@x.com',
    'a@x.com\r\nBcc: e@x.com',
    '"a b"@x.com',
    '<a@x.com>',
    'a',
    'g:a@x.com;',
  ]
  for (const address of addresses) {
    t.same(await send({ to: { address } }), { ok: false, class: 'bad_address' }, address)
  }
  t.equal(received.length, 1)
})

t.test('the reply of the server decides the class, with its code', async (t) => {
  const replies: [string, object][] = [
    ['550 5.1.1 No such user', { class: 'bad_address', code: 550, enhanced: '5.1.1' }],
    ['552 5.2.2 Over quota', { class: 'mailbox_full', code: 552, enhanced: '5.2.2' }],
    ['450 4.2.0 Greylisted', { class: 'transient', code: 450 }],
    ['554 5.7.1 Reputation', { class: 'policy', code: 554, enhanced: '5.7.1' }],
  ]
  for (const [reply, expected] of replies) {
    const { port } = await sink(t, { onRcptTo: (_address, _session, done) => done(refusal(reply)) })
    t.match(await mailerFor(t, { port }).send(), { ok: false, ...expected }, reply)
  }
})

t.test('a rejected login is auth_failed', async (t) => {
  const { port, received } = await sink(t, {
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      username === 'u' && password === 'right'
        ? done(null, { user: 'u' })
        : done(refusal('535 5.7.8 No')),
  })
  const wrong = mailerFor(t, { port, username: 'u', password: 'wrong' })
  t.match(await wrong.send(), { ok: false, class: 'auth_failed', code: 535 })
  t.match(await mailerFor(t, { port, username: 'u', password: 'right' }).send(), { ok: true })
  t.equal(received.length, 1)
})

t.test('a connection lost after the last byte leaves the outcome unknown', async (t) => {
  let lost: net.Socket | null = null
  const { port } = await sink(t, {
    onData(stream) {
      stream.resume()
      stream.on('end', () => lost?.destroy())
    },
  })
  const relay = net.createServer((client) => {
    lost = client
    const upstream = net.connect(port, '127.0.0.1')
    client.on('error', () => {}).on('close', () => upstream.destroy())
    upstream.on('error', () => {})
    client.pipe(upstream).pipe(client)
  })
  const front = await listening(t, relay)
  t.match(await mailerFor(t, { port: front.port }).send(), { ok: false, class: 'unknown' })
})

t.test('a server that is unreachable or silent is transient and bounded', async (t) => {
  const away = await listening(
    t,
    net.createServer((socket) => socket.destroy()),
  )
  t.match(await mailerFor(t, { port: away.port }).send(), { ok: false, class: 'transient' })
  const silent = await listening(
    t,
    net.createServer(() => {}),
  )
  t.match(await mailerFor(t, { port: silent.port }).send({}, 150), {
    ok: false,
    class: 'transient',
  })
})

t.test('a mail server is validated at each connect', async (t) => {
  const { port, received } = await sink(t)
  const canary = await listening(t, net.createServer())
  const zone = {
    'mail.example.test': { a: ['127.0.0.1'] },
    'inner.example.test': { a: ['10.0.0.1'] },
  }
  const dns = await dnsServer(t, zone)
  const resolver = createDnsResolver({ servers: [dns.server] })
  t.match(await mailerFor(t, { host: 'mail.example.test', port }, { resolver }).send(), {
    ok: true,
  })
  t.equal(received.length, 1)
  const refused: [Partial<SmtpServer>, Partial<PolicyOptions>][] = [
    [{ host: 'inner.example.test' }, { resolver }],
    [{ host: 'mail.example.test' }, { resolver, allowCidrs: [] }],
    [{}, { allowCidrs: [] }],
    [{}, { smtpPorts: [25, 465, 587, 2525] }],
    [{}, { ownHosts: [`localhost:${canary.port}`] }],
  ]
  for (const [server, policy] of refused) {
    const { send } = mailerFor(t, { ...server, port: canary.port }, policy)
    t.match(await send(), { ok: false, class: 'blocked' })
  }
  t.equal(canary.seen.connections, 0)
})

t.test("the operator's own server is connected without validation", async (t) => {
  const { port } = await sink(t)
  const { send } = mailerFor(t, { port, trusted: true }, { allowCidrs: [], smtpPorts: [] })
  t.match(await send(), { ok: true })
})

t.test('TLS verifies the name of the server, from the start and by STARTTLS', async (t) => {
  const pair = selfSignedCertificate(['mail.example.test'])
  const dns = await dnsServer(t, {
    'mail.example.test': { a: ['127.0.0.1'] },
    'wrong.example.test': { a: ['127.0.0.1'] },
  })
  const resolver = createDnsResolver({ servers: [dns.server] })
  for (const secure of [true, false]) {
    const { port, received } = await sink(t, { ...pair, secure })
    const sendTo = (host: string) =>
      mailerFor(t, { host, port, secure }, { resolver }, [pair.cert]).send()
    t.match(await sendTo('mail.example.test'), { ok: true })
    t.match(await sendTo('wrong.example.test'), { ok: false, class: 'transient' })
    t.match(received, [{ isSecure: true }])
  }
})

t.test('one connection carries several mails', async (t) => {
  const seen = { connections: 0 }
  const { port, received } = await sink(t, {
    onConnect: (_session, done) => {
      seen.connections += 1
      done()
    },
  })
  const { send } = mailerFor(t, { port })
  for (let turn = 0; turn < 5; turn += 1) t.match(await send(), { ok: true })
  t.equal(received.length, 5)
  t.ok(seen.connections < 5)
})
