/** The mail to subscribers: one message a recipient, complete as text, readable as HTML. */
import { escapeHtml, frame, type MailContent, oneLine, paragraphs } from './mail.ts'

export interface MailContext {
  organizationName: string
  baseUrl: string
  /** Of the manage and unsubscribe links; null when none is known. */
  manageToken: string | null
  /** Earlier updates that this mail stands for, because they waited too long. */
  coveredUpdates: number
}

/** What a mail tells, whatever noun it is about. */
export interface News {
  noun: 'incident' | 'maintenance'
  id: string
  headline: string
  title: string
  message: string
  facts: readonly (readonly [name: string, value: string])[]
  colour: string
  url: string | null
}

export const newsMail = (news: News, context: MailContext): MailContent => ({
  subject: oneLine(`[${context.organizationName}] ${news.headline}: ${news.title}`),
  text: textOf(news, context),
  html: htmlOf(news, context),
  headers: headersOf(news, context),
})

const manageUrlOf = ({ baseUrl, manageToken }: MailContext): string | null =>
  manageToken === null ? null : `${baseUrl}/subscriptions/${manageToken}`

/** Threads with the other mails about the same; ends by one click (RFC 8058). */
const headersOf = ({ noun, id }: News, context: MailContext): Record<string, string> => {
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

const coveredLine = (count: number): string | null =>
  count === 0 ? null : `This includes ${count} earlier update${count === 1 ? '' : 's'}.`

const textOf = ({ headline, title, message, facts, url }: News, context: MailContext): string => {
  const manageUrl = manageUrlOf(context)
  const width = Math.max(...facts.map(([name]) => name.length))
  return [
    `${headline}: ${title}`,
    '',
    message,
    coveredLine(context.coveredUpdates),
    '',
    ...facts.map(([name, value]) => `${name.padEnd(width)}  ${value}`),
    url === null ? null : `\n${url}`,
    '\n-- ',
    `You get this because you subscribed to ${context.organizationName}.`,
    manageUrl === null ? null : `Manage or unsubscribe: ${manageUrl}`,
  ]
    .filter((line) => line !== null)
    .join('\n')
}

const htmlOf = (news: News, context: MailContext): string => {
  const { noun, headline, title, message, facts, url } = news
  const manageUrl = manageUrlOf(context)
  const covered = coveredLine(context.coveredUpdates)
  const link =
    manageUrl === null ? '' : ` <a href="${escapeHtml(manageUrl)}">Manage or unsubscribe</a>`
  return frame({
    organizationName: context.organizationName,
    headline: `${headline}: ${title}`,
    colour: news.colour,
    title,
    content: [
      message === '' ? null : `<p>${paragraphs(message)}</p>`,
      covered === null ? null : `<p>${covered}</p>`,
      tableOf(facts),
      url === null ? null : `<p><a href="${escapeHtml(url)}">View the ${noun}</a></p>`,
    ]
      .filter((part) => part !== null)
      .join('\n'),
    footer: `You get this because you subscribed to ${escapeHtml(context.organizationName)}.${link}`,
  })
}

const tableOf = (rows: News['facts']): string => {
  const cells = rows.map(
    ([name, value]) =>
      `<tr><th align="left" style="padding:2px 16px 2px 0;font-weight:400;opacity:.7">${escapeHtml(name)}</th>` +
      `<td>${escapeHtml(value)}</td></tr>`,
  )
  return `<table role="presentation" style="margin:16px 0;border-collapse:collapse">${cells.join('')}</table>`
}
