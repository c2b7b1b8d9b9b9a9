/** E-mail: sender address, results of replies, and signed headers. */
import { generateKeyPairSync } from 'node:crypto'
import { createOutbound, type Mailer, type MailResult, outboundPolicy } from '@status-page/outbound'
import { smtpSink } from '@status-page/testing'
import t from 'tap'
import { noopMeter } from '../deliveries/record/meter.fixture.ts'
import type { DecryptedChannel } from './channel.ts'
import { messageTo } from './conformance.fixture.ts'
import { emailSender, mailResult, toMail } from './email.ts'
import { createMailTransports } from './mailer.ts'

const settings = {
  from: 'status@example.com',
  baseUrl: 'https://status.example.com',
  logger: { info() {}, error() {} },
  meter: noopMeter,
}
const channel = {
  id: 'n1',
  organizationId: 'z1',
  name: 'Mail',
  type: 'email',
  messageTemplate: null,
  config: {
    smtpHost: '127.0.0.1',
    smtpPort: 2525,
    secure: false,
    recipients: [],
    username: null,
    password: null,
    bounceSecret: null,
    fromAddress: 'news@acme.example',
    fromName: 'Acme News',
  },
} as DecryptedChannel
const message = {
  ...messageTo(channel, { address: 'reader@example.org', body: null, text: null }),
  mail: {
    subject: 'Down',
    text: 'Down.',
    html: '<p>Down.</p>',
    headers: {
      'List-Unsubscribe': '<https://status.example.com/subscriptions/t/unsubscribe>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  },
}

t.test('the sender of a mail is its channel, otherwise the operator', async (t) => {
  t.match(toMail(message, settings).from, { name: 'Acme News', address: 'news@acme.example' })
  t.match(toMail({ ...message, channel: null }, settings).from, {
    name: 'Acme',
    address: 'status@example.com',
  })
  t.equal(toMail(message, settings).messageId, '<d1@status.example.com>')
})

t.test('every reply has its class', async (t) => {
  const cases: [response: MailResult, expected: object][] = [
    [{ ok: true, response: '250' }, { class: 'delivered' }],
    [
      fault('bad_address', 550, '5.1.1'),
      { class: 'gone', suppressionReason: 'hard_bounce', detail: '5.1.1' },
    ],
    [fault('mailbox_full', 552, '5.2.2'), { class: 'mail', soft: 'mailbox_full' }],
    [fault('policy', 554, '5.7.1'), { class: 'mail', outcome: 'rejected' }],
    [fault('auth_failed', 535, '5.7.8'), { class: 'transport', outcome: 'auth_failed' }],
    [fault('transient', 421), { class: 'transport', outcome: 'connect_error' }],
    [fault('transient', 451), { class: 'mail', outcome: 'rejected' }],
    [fault('transient'), { class: 'transport', outcome: 'connect_error' }],
    [fault('unknown'), { class: 'mail', outcome: 'unknown' }],
    [fault('blocked'), { class: 'blocked' }],
  ]
  for (const [response, expected] of cases) t.match(mailResult(response), expected)
})

const fault = (
  name: Extract<MailResult, { ok: false }>['class'],
  code?: number,
  enhanced?: string,
): MailResult => ({
  ok: false,
  class: name,
  ...(code === undefined ? {} : { code }),
  ...(enhanced === undefined ? {} : { enhanced }),
})

t.test('a DKIM signature includes the unsubscribe headers', async (t) => {
  const sink = await smtpSink(t)
  const policy = outboundPolicy({ allowCidrs: ['127.0.0.0/8'], ownHosts: [] })
  const outbound = createOutbound({ policy })
  t.teardown(() => outbound.close())
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const operator = {
    SMTP_URL: sink.url,
    DKIM_DOMAIN: 'example.com',
    DKIM_SELECTOR: 's1',
    DKIM_PRIVATE_KEY: key.replaceAll('\n', '\\n'),
  }
  const sender = emailSender(createMailTransports(operator, outbound), settings)
  t.match(await sender.send({ ...message, channel: null }), { class: 'delivered' })
  const signature = sink.mails[0]?.headers['dkim-signature'] ?? ''
  t.match(signature, /d=example\.com/)
  t.match(signature, /list-unsubscribe:list-unsubscribe-post/i)
})

t.test('without a server and without a channel there is no transport', async (t) => {
  const policy = outboundPolicy({ allowCidrs: [], ownHosts: [] })
  const outbound = createOutbound({ policy })
  t.teardown(() => outbound.close())
  const sender = emailSender(createMailTransports({}, outbound), settings)
  t.equal(sender.hasTransport(null), false)
  t.equal(sender.hasTransport(channel), true)
})

t.test(
  "a policy refusal is logged once per server: the operator's as an error, a channel's at info",
  async (t) => {
    const response: MailResult = { ok: false, class: 'policy', code: 550, enhanced: '5.7.1' }
    const refusing: Mailer = { send: async () => response, close() {} }
    const errors: object[] = []
    const infos: object[] = []
    const failures: string[] = []
    const logger = {
      info: (details: object) => infos.push(details),
      error: (details: object) => errors.push(details),
    }
    const meter = { channelFailed: (reason: string) => failures.push(reason) }
    const sender = emailSender(
      { operator: refusing, through: () => refusing },
      { ...settings, logger, meter },
    )
    for (let turn = 0; turn < 3; turn++) {
      t.match(await sender.send({ ...message, channel: null }), { class: 'mail' })
      t.match(await sender.send({ ...message, channel }), { class: 'mail' })
    }
    const refusal = { statusCode: 550, enhanced: '5.7.1' }
    t.same(errors, [{ alarm: 'mail_policy', channelId: null, ...refusal }])
    t.same(infos, [{ channelId: channel.id, ...refusal }])
    t.same(failures, ['mail_policy'])
  },
)
