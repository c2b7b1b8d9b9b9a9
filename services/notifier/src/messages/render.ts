/** Renders an event for each type of destination; a type without a renderer does not compile. */
import type { ChannelType } from '@status-page/contracts'
import type { DecryptedChannel } from '../senders/sender.ts'
import { calendarPart } from './calendar.ts'
import { discordBody, slackBody, teamsBody } from './chat-body.ts'
import type { MessageContext } from './context.ts'
import { digestContent } from './digest-content.ts'
import { eventMail } from './event-mail.ts'
import type { MailContent } from './mail.ts'
import { type MessageContent, toMessageContent } from './message-content.ts'
import { eventText } from './sms-text.ts'
import { placeholderValues, renderBody } from './template.ts'
import { type WebhookEvent, webhookBody } from './webhook-body.ts'

export interface RenderedContent {
  mail: MailContent | null
  text: string | null
  body: Buffer | null
}

interface RenderInput {
  event: WebhookEvent
  content: MessageContent
  context: MessageContext
  /** True when the message is about one subject. */
  isSingleEvent: boolean
  channel: Pick<DecryptedChannel, 'type' | 'config'> | null
}

export const emptyContent: RenderedContent = { mail: null, text: null, body: null }

const forms: Record<ChannelType, (rendering: RenderInput) => Partial<RenderedContent>> = {
  email: ({ content, context, event, isSingleEvent }) => ({
    mail: {
      ...eventMail(content, context),
      calendar: isSingleEvent && 'maintenance' in event ? calendarPart(event, context) : null,
    },
  }),
  sms: ({ content, context }) => ({ text: eventText(content, context) }),
  slack: ({ content, context, channel }) => ({
    body: slackBody(content, context, channel?.type === 'slack' ? slackChannelOf(channel) : null),
  }),
  discord: ({ content, context }) => ({ body: discordBody(content, context) }),
  teams: ({ content, context }) => ({ body: teamsBody(content, context) }),
  webhook({ event, content, channel }) {
    const template = channel?.type === 'webhook' ? templateOf(channel) : null
    return {
      body:
        template === null
          ? webhookBody(event)
          : Buffer.from(renderBody(template, placeholderValues(content))),
    }
  },
}

export const renderContent = (
  type: ChannelType,
  {
    event,
    others = [],
    omitted = 0,
    context,
    channel,
  }: Omit<RenderInput, 'content' | 'isSingleEvent'> & {
    others?: readonly WebhookEvent[]
    /** Number of further subjects, which a digest only counts. */
    omitted?: number
  },
): RenderedContent => {
  const isSingleEvent = others.length + omitted === 0
  const content = isSingleEvent
    ? toMessageContent(event, context.language)
    : digestContent([event, ...others], omitted, context.language)
  return { ...emptyContent, ...forms[type]({ event, context, channel, content, isSingleEvent }) }
}

type Config<Kind extends ChannelType> = DecryptedChannel<Kind>['config']

const slackChannelOf = ({ config }: Pick<DecryptedChannel, 'config'>) =>
  (config as Config<'slack'>).channel
const templateOf = ({ config }: Pick<DecryptedChannel, 'config'>) =>
  (config as Config<'webhook'>).bodyTemplate
