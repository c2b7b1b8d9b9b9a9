/** News as a mail: one message a recipient, complete as text, readable as HTML. */
import { coveredLine, type MessageContext, manageUrlOf, reasonOf } from './context.ts'
import { factLines, factTable } from './facts.ts'
import { escapeHtml, frame, type MailContent, oneLine, paragraphs } from './mail.ts'
import type { News } from './news.ts'
import { renderText, valuesOf } from './template.ts'

export const newsMail = (news: News, context: MessageContext): MailContent => {
  const own = templated(news, context)
  return {
    subject: oneLine(`[${context.organizationName}] ${news.summary}`),
    text: textOf(news, context, own),
    html: htmlOf(news, context, own),
    headers: headersOf(news, context),
  }
}

/** Threads with the other mails about the same; ends by one click (RFC 8058). */
const headersOf = ({ noun, id }: News, context: MessageContext): Record<string, string> => {
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

/** In the words of the channel's template, where it has one. */
const templated = (news: News, { messageTemplate }: MessageContext): string | null =>
  messageTemplate === null ? null : renderText(messageTemplate, valuesOf(news), plain)

const textOf = (news: News, context: MessageContext, own: string | null): string => {
  const { summary, message, facts, url } = news
  const manageUrl = manageUrlOf(context)
  const content =
    own === null
      ? [
          summary,
          '',
          ...(message === '' ? [] : [message]),
          coveredLine(context),
          '',
          ...factLines(facts, context.language),
          url === null ? null : `\n${url}`,
        ]
      : [own, coveredLine(context)]
  return [
    ...content,
    '\n-- ',
    reasonOf(context),
    manageUrl === null ? null : `${context.language.manage}: ${manageUrl}`,
  ]
    .filter((line) => line !== null)
    .join('\n')
}

const htmlOf = (news: News, context: MessageContext, own: string | null): string => {
  const { language, organizationName } = context
  const manageUrl = manageUrlOf(context)
  return frame({
    organizationName,
    language,
    headline: news.summary,
    colour: news.colour,
    title: news.title,
    content: contentOf(news, context, own),
    action: news.url === null ? null : { url: news.url, label: language.view[news.noun] },
    footer:
      escapeHtml(reasonOf(context)) +
      (manageUrl === null ? '' : ` <a href="${escapeHtml(manageUrl)}">${language.manage}</a>`),
  })
}

const contentOf = (news: News, context: MessageContext, own: string | null): string => {
  const text = own ?? news.message
  const covered = coveredLine(context)
  return [
    text === '' ? null : `<p dir="auto">${paragraphs(text)}</p>`,
    covered === null ? null : `<p>${escapeHtml(covered)}</p>`,
    own === null && news.facts.length > 0 ? factTable(news.facts) : null,
  ]
    .filter((part) => part !== null)
    .join('\n')
}
