/** Requests to the three chats, and the result of each response. */
import type { OutboundResult } from '@status-page/outbound'
import t from 'tap'
import type { DecryptedChannel } from './channel.ts'
import { type ChatProduct, chatResult, chatSender } from './chat.ts'
import { conform } from './conformance.fixture.ts'
import { discordProduct } from './discord.ts'
import { slackProduct } from './slack.ts'
import { teamsProduct } from './teams.ts'

const channelOf = (type: 'slack' | 'discord' | 'teams') => (webhookUrl: string) =>
  ({
    id: 'n1',
    organizationId: 'z1',
    name: 'Ops',
    type,
    messageTemplate: null,
    config: { webhookUrl },
  }) as DecryptedChannel

const products: Record<'slack' | 'discord' | 'teams', ChatProduct> = {
  slack: slackProduct,
  discord: discordProduct,
  teams: teamsProduct,
}
const classes = {
  slack: { event: [400, 413] },
  discord: { event: [400, 413], gone: [401, 403, 404] },
  teams: { event: [400, 413], gone: [404, 410] },
}

for (const type of ['slack', 'discord', 'teams'] as const) {
  conform(t, {
    type,
    classes: classes[type],
    otherwise: 'endpoint',
    withoutResponse: 'endpoint',
    senderOf: (outbound) => chatSender(outbound, products[type], 'agent'),
    channelAt: channelOf(type),
  })
}

const now = new Date('2026-01-02T03:04:05.000Z')
const answered = (status: number, body = '', headers: Record<string, string> = {}) =>
  ({ ok: true, status, headers, body: Buffer.from(body), truncated: false }) as OutboundResult

t.test('known error words of Slack are classified, and others are not passed on', async (t) => {
  for (const [status, code] of [
    [403, 'action_prohibited'],
    [403, 'invalid_token'],
    [404, 'no_service'],
    [404, 'channel_not_found'],
    [410, 'channel_is_archived'],
  ] as const) {
    const sendResult = chatResult(slackProduct, answered(status, code), now)
    t.match(sendResult, {
      class: 'gone',
      suppressionReason: 'endpoint_gone',
      detail: code,
      statusCode: status,
    })
  }
  const odd = chatResult(slackProduct, answered(404, 'your_secret_is'), now)
  t.same(odd, { class: 'endpoint', outcome: 'rejected', statusCode: 404 })
  t.match(chatResult(slackProduct, answered(400, 'invalid_payload'), now), {
    detail: 'invalid_payload',
  })
})

t.test('a 429 defers for the requested time and is never final', async (t) => {
  const limited = { class: 'endpoint', outcome: 'rate_limited' }
  const header = { 'retry-after': '7' }
  t.match(chatResult(slackProduct, answered(429, '', header), now), {
    ...limited,
    retryAfterMs: 7000,
  })
  t.match(chatResult(teamsProduct, answered(429, '', header), now), {
    ...limited,
    retryAfterMs: 7000,
  })
  const precise = answered(429, '{"retry_after":0.65}', header)
  t.match(chatResult(discordProduct, precise, now), { ...limited, retryAfterMs: 650 })
  for (const junk of ['', 'null', '{"retry_after":"soon"}', '{"retry_after":-1}']) {
    t.match(
      chatResult(discordProduct, answered(429, junk, header), now),
      { retryAfterMs: 7000 },
      junk,
    )
  }
})
