/** Message bodies for the chats, and their limits. */
import t from 'tap'
import type { MessageContext } from '../messages/context.ts'
import { toMessageContent } from '../messages/message-content.ts'
import { defaultLanguage } from '../messages/reader-language.ts'
import { sampleEvent } from '../messages/sample.ts'
import { discordBody } from './discord.ts'
import { slackBody } from './slack.ts'
import { teamsBody } from './teams.ts'

const baseUrl = 'https://status.example.com'
const now = new Date('2026-01-02T03:04:05.000Z')

const context: MessageContext = {
  senderName: 'Acme',
  appearance: null,
  baseUrl,
  language: defaultLanguage,
  coveredUpdates: 2,
  sequence: 1,
  reader: { kind: 'channel', channelName: 'Ops' },
  messageTemplate: null,
}
const content = toMessageContent(sampleEvent('incident.created', now, baseUrl), defaultLanguage)
const huge = {
  ...content,
  title: '😀'.repeat(255),
  message: '*&<"'.repeat(6_250),
  facts: [['Affected', 'A_b '.repeat(25_000)]] as const,
}

const slackOf = (about: typeof content) => JSON.parse(slackBody(about, context, '#ops').toString())
const discordOf = (about: typeof content) => JSON.parse(discordBody(about, context).toString())
const cardOf = (about: typeof content) =>
  JSON.parse(teamsBody(about, context).toString()).attachments[0].content

t.test('slack: the text is complete without the blocks', async (t) => {
  const { text, ...message } = slackOf(content)
  t.equal(
    text,
    [
      'Investigating: API errors',
      'We are investigating failing requests.',
      '',
      'Includes 2 earlier updates.',
      '<https://status.example.com/status/example|View incident>',
    ].join('\n'),
  )
  t.match(message, {
    channel: '#ops',
    unfurl_links: false,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: 'Investigating: API errors' } },
      {
        type: 'section',
        fields: [{ text: '*Status*\nInvestigating' }, { text: '*Impact*\nMajor' }],
      },
      { type: 'section', text: { type: 'mrkdwn', text: /^We are investigating/ } },
      { type: 'context', elements: [{ text: /View incident/ }] },
    ],
  })
  t.notOk('channel' in JSON.parse(slackBody(content, context, null).toString()))
})

t.test('discord: an embed without mentions', async (t) => {
  t.match(discordOf(content), {
    username: 'Acme',
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: 'Investigating: API errors',
        url: `${baseUrl}/status/example`,
        color: 0xcf5208,
        timestamp: '2026-01-02T03:04:05.000Z',
        fields: [{ name: 'Status', value: 'Investigating', inline: true }],
      },
    ],
  })
})

t.test('teams: a card with a button', async (t) => {
  t.match(cardOf(content), {
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    body: [
      { type: 'TextBlock', text: 'Investigating: API errors' },
      { type: 'FactSet', facts: [{ title: 'Status', value: 'Investigating' }] },
      { type: 'TextBlock', wrap: true },
    ],
    actions: [{ type: 'Action.OpenUrl', url: `${baseUrl}/status/example` }],
  })
})

t.test('every body is within the limits of its chat and has its link', async (t) => {
  const slack = slackOf(huge)
  t.ok(JSON.stringify(slack).length < 13_000 * 2)
  const [header, facts, section, footer] = slack.blocks
  t.ok(header.text.text.length <= 150 && section.text.text.length <= 3_000)
  for (const { text } of facts.fields) t.ok(text.length <= 2_000)
  t.match(footer.elements[0].text, /\|View incident>/)
  const [embed] = discordOf(huge).embeds
  const sizes = [embed.title, embed.description, ...embed.fields.map(textsOf)]
  t.ok(embed.title.length <= 256 && embed.description.length <= 4_096)
  t.ok(sizes.join('').length <= 6_000)
  t.equal(embed.url, huge.url)
  t.ok(teamsBody(huge, context).length <= 28 * 1024)
  for (const text of [slack.text, header.text.text, embed.title, cardOf(huge).body[0].text]) {
    t.ok(text.isWellFormed(), 'truncated after a whole character')
  }
})

const textsOf = ({ name, value }: { name: string; value: string }) => name + value
