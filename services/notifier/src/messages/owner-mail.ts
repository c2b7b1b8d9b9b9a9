/** Mail to the owners of an organization about a certificate to renew. */
import { factLines, factTable } from './facts.ts'
import type { MessageLanguage } from './language.ts'
import { escapeHtml, type MailContent, mailFrameHtml, toOneLine } from './mail.ts'
import type { MessageContent } from './message-content.ts'

export interface OwnerContext {
  organizationName: string
  language: MessageLanguage
}

export const ownerMail = (
  { summary, title, facts, colour }: MessageContent,
  { organizationName, language }: OwnerContext,
): MailContent => {
  const footer = language.ownerFooter(organizationName)
  return {
    subject: toOneLine(`[${organizationName}] ${summary}`),
    text: [summary, '', ...factLines(facts, language), '', '-- ', footer].join('\n'),
    html: mailFrameHtml({
      senderName: organizationName,
      language,
      headline: summary,
      colour,
      title,
      content: factTable(facts),
      footer: escapeHtml(footer),
    }),
    headers: {},
  }
}
