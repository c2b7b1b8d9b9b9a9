/** Mail about an event: one message per recipient, complete as text, with an HTML version. */
import {
  coveredUpdatesLine,
  linkLabelOf,
  type MessageContext,
  manageUrlOf,
  subscriptionReason,
} from './context.ts'
import { factLines, factTable } from './facts.ts'
import { escapeHtml, type MailContent, mailSubject } from './mail.ts'
import { mailFrameHtml } from './mail-frame.ts'
import type { MessageContent } from './message-content.ts'
import { mailMessageHtml, mailMessageText, plainTextHtml } from './message-text.ts'
import { plainPlaceholderValues, renderText } from './template.ts'

export const eventMail = (content: MessageContent, context: MessageContext): MailContent => {
  const own = templated(content, context)
  return {
    subject: mailSubject(content, context.senderName),
    text: textOf(content, context, own),
    html: htmlOf(content, context, own),
    headers: headersOf(content, context),
  }
}

/**
 * Headers that group the mails about one subject into a thread, and one-click unsubscribe (RFC
 * 8058).
 */
const headersOf = (
  { noun, id }: MessageContent,
  context: MessageContext,
): Record<string, string> => {
  const { hostname } = new URL(context.baseUrl)
  const thread = `<${noun}-${id}@${hostname}>`
  const manageUrl = manageUrlOf(context)
  return {
    'In-Reply-To': thread,
    References: thread,
    'List-Id': `<status.${hostname}>`,
    ...(manageUrl === null
      ? {}
      : {
          'List-Unsubscribe': `<${manageUrl}/unsubscribe>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        }),
  }
}

const plain = (text: string): string => text

/** Text of the channel's template; null without one. */
const templated = (content: MessageContent, { messageTemplate }: MessageContext): string | null =>
  messageTemplate === null
    ? null
    : renderText(messageTemplate, plainPlaceholderValues(content), plain)

const textOf = (content: MessageContent, context: MessageContext, own: string | null): string => {
  const { summary, message, facts } = content
  const action = actionOf(content, context)
  const covered = coveredUpdatesLine(context)
  const manageUrl = manageUrlOf(context)
  const lines =
    own === null
      ? [
          summary,
          '',
          ...(message === '' ? [] : [mailMessageText(content)]),
          covered === null ? null : `\n${covered}`,
          '',
          ...factLines(facts, context.language),
          action === null ? null : `\n${context.language.link(action.label, action.url)}`,
        ]
      : [own, covered]
  return [
    ...lines,
    '\n-- ',
    subscriptionReason(context),
    manageUrl === null ? null : context.language.link(context.language.manage, manageUrl),
  ]
    .filter((line) => line !== null)
    .join('\n')
}

const htmlOf = (content: MessageContent, context: MessageContext, own: string | null): string => {
  const { language, senderName } = context
  const manageUrl = manageUrlOf(context)
  return mailFrameHtml({
    senderName,
    language,
    appearance: context.appearance,
    state: { label: content.headline, status: content.colourStatus },
    headline: content.title,
    content: contentOf(content, context, own),
    action: actionOf(content, context),
    footer:
      escapeHtml(subscriptionReason(context)) +
      (manageUrl === null ? '' : ` <a href="${escapeHtml(manageUrl)}">${language.manage}</a>`),
  })
}

const actionOf = (content: MessageContent, context: MessageContext) =>
  content.url === null ? null : { url: content.url, label: linkLabelOf(content, context) }

const contentOf = (
  content: MessageContent,
  context: MessageContext,
  own: string | null,
): string => {
  const covered = coveredUpdatesLine(context)
  const message = own === null ? mailMessageHtml(content) : plainTextHtml(own)
  return [
    (own ?? content.message) === '' ? null : message,
    covered === null ? null : `<p>${escapeHtml(covered)}</p>`,
    own === null && content.facts.length > 0 ? factTable(content.facts, context.language) : null,
  ]
    .filter((part) => part !== null)
    .join('\n')
}
