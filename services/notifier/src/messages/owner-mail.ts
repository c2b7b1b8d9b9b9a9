/** Mail to the owners of an organization about something that they have to correct. */
import { factLines, factTable } from './facts.ts'
import type { ReaderLanguage } from './language.ts'
import { escapeHtml, type MailContent, mailSubject } from './mail.ts'
import { mailFrameHtml } from './mail-frame.ts'
import type { MessageContent } from './message-content.ts'

export interface OwnerContext {
  organizationName: string
  language: ReaderLanguage
}

type OwnerMailContent = Pick<
  MessageContent,
  'headline' | 'summary' | 'title' | 'facts' | 'colourStatus'
>

export const ownerMail = (
  { headline, summary, title, facts, colourStatus }: OwnerMailContent,
  { organizationName, language }: OwnerContext,
): MailContent => {
  const footer = language.ownerFooter(organizationName)
  return {
    subject: mailSubject({ headline, title }, organizationName),
    text: [summary, '', ...factLines(facts, language), '', '-- ', footer].join('\n'),
    html: mailFrameHtml({
      senderName: organizationName,
      language,
      appearance: null,
      state: { label: headline, status: colourStatus },
      headline: title,
      content: factTable(facts, language),
      footer: escapeHtml(footer),
    }),
    headers: {},
  }
}
