/** Expiry of a certificate in words. */
import { useFormats, useLanguage, useTexts } from '../texts/texts.tsx'

const DAY_MS = 86_400_000

export const useCertificateText = (expiresAt: string | null): string | null => {
  const { detail } = useTexts().componentScreens
  const { fill, plural } = useFormats()
  const { formatLocale: locale } = useLanguage()
  if (expiresAt === null) return null
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }).format(new Date(expiresAt))
  const days = Math.floor((Date.parse(expiresAt) - Date.now()) / DAY_MS)
  if (days < 0) return fill(detail.certificateExpired, { date })
  return fill(plural(detail.certificateDays, days), { date })
}
