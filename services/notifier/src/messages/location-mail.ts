/** Mail to the owners of an organization about a private location without contact. */
import type { LocationEventData } from '@status-page/contracts'
import { formatTime, translateFacts } from './content-fields.ts'
import type { MailContent } from './mail.ts'
import { type OwnerContext, ownerMail } from './owner-mail.ts'

export const locationMail = (
  { name, lastContactAt }: LocationEventData,
  context: OwnerContext,
): MailContent => {
  const { language } = context
  const { headline, consequence } = language.location
  const facts = translateFacts(language, [
    ['affected', name],
    ['since', formatTime(lastContactAt, language)],
  ])
  return ownerMail(
    {
      headline,
      title: name,
      summary: `${language.titled(headline, name)}\n\n${consequence}`,
      facts,
      colourStatus: 'degraded_performance',
    },
    context,
  )
}
