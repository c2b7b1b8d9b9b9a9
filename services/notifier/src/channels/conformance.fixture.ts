/**
 * Conformance of every HTTP sender, whatever its receiver responds: a result for every response and
 * for none, no exception, no redirect followed, and neither secrets nor response texts in the
 * result.
 */
import type { ChannelType } from '@status-page/contracts'
import { createOutbound, type Outbound, outboundPolicy } from '@status-page/outbound'
import { httpTarget, tcpTarget } from '@status-page/testing'
import type { Test } from 'tap'
import type { DecryptedChannel, OutgoingMessage, Sender } from './channel.ts'
import type { SendResult } from './send-result.ts'

type Class = SendResult['class']

export interface SenderConformance {
  type: ChannelType
  senderOf(outbound: Outbound, origin: string): Sender
  /** Channel whose receiver is at the URL. */
  channelAt(url: string): DecryptedChannel
  /** Statuses by result class; 200 to 299 are delivered unless listed. */
  classes: Readonly<Partial<Record<Class, readonly number[]>>>
  /** Class of every status that is not listed. */
  otherwise: Class
  /** Class of a receiver that does not respond. */
  withoutResponse: Class
}

const SECRET = 'swordfish'
const STATUSES = [
  200, 201, 202, 204, 301, 302, 307, 308, 400, 401, 402, 403, 404, 405, 408, 409, 410, 413, 415,
  418, 422, 425, 429, 451, 500, 501, 502, 503, 504, 520, 599,
]

export const messageTo = (
  channel: DecryptedChannel,
  change: Partial<OutgoingMessage> = {},
): OutgoingMessage => ({
  deliveryId: 'd1',
  eventId: 'e1',
  sequence: 1,
  attempt: 1,
  address: '+4930901820',
  senderName: 'Acme',
  channel,
  mail: null,
  text: 'Down',
  body: Buffer.from('{}'),
  secret: null,
  previousSecret: null,
  ...change,
})

export const conform = (t: Test, sender: SenderConformance): void => {
  const outboundFor = (t: Test, allowCidrs: string[]) => {
    const outbound = createOutbound({ policy: outboundPolicy({ allowCidrs, ownHosts: [] }) })
    t.teardown(() => outbound.close())
    return outbound
  }
  const sendTo = (t: Test, origin: string, allowCidrs = ['127.0.0.0/8']) =>
    sender
      .senderOf(outboundFor(t, allowCidrs), origin)
      .send(messageTo(sender.channelAt(`${origin}/${SECRET}`)))
  const expectedOf = (status: number): Class => {
    const named = Object.entries(sender.classes).find(([, statuses]) => statuses.includes(status))
    if (named !== undefined) return named[0] as Class
    return status < 300 ? 'delivered' : sender.otherwise
  }

  t.test(`${sender.type}: every status has its class`, async (t) => {
    const target = await httpTarget(t)
    for (const status of STATUSES) {
      target.respond({ status, headers: { location: '/elsewhere' }, body: `you sent ${SECRET}` })
      const sendResult = await sendTo(t, target.url)
      t.equal(sendResult.class, expectedOf(status), String(status))
      t.notMatch(JSON.stringify(sendResult), SECRET, `${status} repeats nothing`)
    }
    const paths = target.requests.map(({ url }) => url)
    t.notOk(paths.includes('/elsewhere'), 'no redirect is followed')
  })

  t.test(`${sender.type}: a failed connection is retried`, async (t) => {
    const gone = await httpTarget(t)
    await gone.close()
    t.match(await sendTo(t, gone.url), { class: sender.withoutResponse, outcome: 'connect_error' })
    const cut = await httpTarget(t, (_request, response) => {
      response.destroy()
      return undefined
    })
    t.match(await sendTo(t, cut.url), { class: sender.withoutResponse, outcome: 'protocol_error' })
    const junk = await tcpTarget(t, (socket) => socket.end('SSH-2.0-OpenSSH\r\n'))
    t.match(await sendTo(t, `http://127.0.0.1:${junk.port}`), { outcome: 'protocol_error' })
    const plain = await httpTarget(t)
    const sendResult = await sendTo(t, plain.url.replace('http:', 'https:'))
    t.match(sendResult, { class: sender.withoutResponse, outcome: 'tls_error' })
    t.equal(plain.requests.length, 0)
  })

  t.test(`${sender.type}: a blocked address is not connected to`, async (t) => {
    const target = await httpTarget(t)
    t.same(await sendTo(t, target.url, []), { class: 'blocked' })
    t.equal(target.requests.length, 0)
  })
}
