/** Numbers and windows of service levels in words. */
import { useFormats, useLanguage, useTexts } from '../texts/texts.tsx'
import type { ServiceLevel } from './queries.ts'

const DECIMALS = 4

/** Percentage with its decimals, of which none is rounded up by the service. */
export const usePercentText = (): ((percentage: number) => string) => {
  const { formatLocale: locale } = useLanguage()
  const format = new Intl.NumberFormat(locale, {
    style: 'percent',
    maximumFractionDigits: DECIMALS,
  })
  return (percentage) => format.format(percentage / 100)
}

export const useWindowName = () => {
  const { serviceLevel: texts } = useTexts()
  const { plural } = useFormats()
  return ({ windowType, windowDays }: Pick<ServiceLevel, 'windowType' | 'windowDays'>): string =>
    windowType === 'rolling' ? plural(texts.rollingDays, windowDays) : texts.windows[windowType]
}
