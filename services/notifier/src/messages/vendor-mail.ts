/** Mail to the owners of an organization about a vendor's page that has no data. */
import type { VendorStatusEventData } from '@status-page/contracts'
import { formatTime, translateFacts } from './content-fields.ts'
import type { MailContent } from './mail.ts'
import { type OwnerContext, ownerMail } from './owner-mail.ts'

export const vendorMail = (
  { name, upstream, report }: VendorStatusEventData,
  context: OwnerContext,
): MailContent => {
  const { language } = context
  const { headline, consequence, reasons } = language.vendor
  const isOfComponent = report.error === 'component_not_found'
  const facts = translateFacts(language, [
    // The page itself concerns all components that follow it, and has one mail.
    ['affected', isOfComponent ? name : null],
    ['page', upstream.url],
    ['reason', report.error === null ? null : reasons[report.error]],
    ['since', formatTime(report.reportedAt, language)],
  ])
  return ownerMail(
    {
      headline,
      title: report.vendor,
      summary: `${language.titled(headline, report.vendor)}\n\n${consequence}`,
      facts,
      colourStatus: 'degraded_performance',
    },
    context,
  )
}
