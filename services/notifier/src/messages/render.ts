/** An event in the form of each kind of destination; a kind without a form does not compile. */
import type { ChannelType } from '@status-page/contracts'
import type { OpenChannel } from '../senders/sender.ts'
import { calendarPart } from './calendar.ts'
import { discordBody, slackBody, teamsBody } from './chat-body.ts'
import type { MessageContext } from './context.ts'
import { digestNews } from './digest-news.ts'
import type { MailContent } from './mail.ts'
import { type News, newsOf } from './news.ts'
import { newsMail } from './news-mail.ts'
import { newsText } from './sms-text.ts'
import { renderBody, valuesOf } from './template.ts'
import { type WebhookEvent, webhookBody } from './webhook-body.ts'

export interface Content {
  mail: MailContent | null
  text: string | null
  body: Buffer | null
}

interface Rendering {
  told: WebhookEvent
  news: News
  context: MessageContext
  /** Nothing else is told along with it. */
  isAlone: boolean
  channel: Pick<OpenChannel, 'type' | 'config'> | null
}

export const nothing: Content = { mail: null, text: null, body: null }

const forms: Record<ChannelType, (rendering: Rendering) => Partial<Content>> = {
  email: ({ news, context, told, isAlone }) => ({
    mail: {
      ...newsMail(news, context),
      calendar: isAlone && 'maintenance' in told ? calendarPart(told, context) : null,
    },
  }),
  sms: ({ news, context }) => ({ text: newsText(news, context) }),
  slack: ({ news, context, channel }) => ({
    body: slackBody(news, context, channel?.type === 'slack' ? slackChannelOf(channel) : null),
  }),
  discord: ({ news, context }) => ({ body: discordBody(news, context) }),
  teams: ({ news, context }) => ({ body: teamsBody(news, context) }),
  webhook({ told, news, channel }) {
    const template = channel?.type === 'webhook' ? templateOf(channel) : null
    return {
      body:
        template === null ? webhookBody(told) : Buffer.from(renderBody(template, valuesOf(news))),
    }
  },
}

export const contentOf = (
  type: ChannelType,
  {
    told,
    others = [],
    context,
    channel,
  }: Omit<Rendering, 'news' | 'isAlone'> & {
    others?: readonly WebhookEvent[]
  },
): Content => {
  const isAlone = others.length === 0
  const news = isAlone
    ? newsOf(told, context.language)
    : digestNews([told, ...others], context.language)
  return { ...nothing, ...forms[type]({ told, context, channel, news, isAlone }) }
}

type Config<Kind extends ChannelType> = OpenChannel<Kind>['config']

const slackChannelOf = ({ config }: Pick<OpenChannel, 'config'>) =>
  (config as Config<'slack'>).channel
const templateOf = ({ config }: Pick<OpenChannel, 'config'>) =>
  (config as Config<'webhook'>).bodyTemplate
