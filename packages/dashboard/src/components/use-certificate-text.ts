/** Certificate of a component in words, with the state of its expiry. */
import { certificateWarningDays } from '../api/contract-checks.ts'
import type { State } from '../kit/icon.tsx'
import { useFormats, useLanguage, useTexts } from '../texts/texts.tsx'
import type { ComponentData } from './tree.ts'

const DAY_MS = 86_400_000

export interface CertificateText {
  state: State
  expiry: string
  /** Subject and issuer, as far as they are known. */
  names: string[]
}

export const useCertificateText = ({ monitors }: ComponentData): CertificateText | null => {
  const { detail } = useTexts().componentScreens
  const { fill, plural } = useFormats()
  const { formatLocale: locale } = useLanguage()
  const monitor = monitors?.[0]
  if (monitor == null || monitor.certificateExpiresAt === null) return null
  const { certificateExpiresAt, certificateSubject, certificateIssuer } = monitor
  const expiresAt = new Date(certificateExpiresAt)
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }).format(expiresAt)
  const days = Math.floor((expiresAt.getTime() - Date.now()) / DAY_MS)
  const names = [
    certificateSubject && fill(detail.certificateSubject, { name: certificateSubject }),
    certificateIssuer && fill(detail.certificateIssuer, { name: certificateIssuer }),
  ].filter((name) => name !== null)
  if (days < 0) return { state: 'down', expiry: fill(detail.certificateExpired, { date }), names }
  return {
    state: days < Math.max(...certificateWarningDays) ? 'slow' : 'ok',
    expiry: fill(plural(detail.certificateDays, days), { date }),
    names,
  }
}
