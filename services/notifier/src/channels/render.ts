/** Renders an event for a type of destination. */
import type { ChannelType } from '@status-page/contracts'
import type { MessageContext } from '../messages/context.ts'
import { digestContent } from '../messages/digest-content.ts'
import { type MessageContent, toMessageContent } from '../messages/message-content.ts'
import type { WebhookEvent } from '../messages/webhook-body.ts'
import type { RenderedContent, RenderInput } from './channel.ts'
import { channels } from './index.ts'

export const emptyContent: RenderedContent = { mail: null, text: null, body: null }

export const renderContent = (
  type: ChannelType,
  {
    event,
    others = [],
    omitted = 0,
    context,
    config,
  }: Pick<RenderInput, 'event' | 'context' | 'config'> & {
    others?: readonly WebhookEvent[]
    /** Number of further subjects, which a digest only counts. */
    omitted?: number
  },
): RenderedContent => {
  const isSingleEvent = others.length + omitted === 0
  const content = isSingleEvent
    ? withActionUrl(toMessageContent(event, context.language), context)
    : digestContent([event, ...others], omitted, context.language)
  const input = { event, context, config, content, isSingleEvent }
  return { ...emptyContent, ...channels[type].render(input) }
}

/** Messages link to the page that acts, where there is one. */
const withActionUrl = (
  content: MessageContent,
  { actionUrl = null }: MessageContext,
): MessageContent => (actionUrl === null ? content : { ...content, url: actionUrl })
