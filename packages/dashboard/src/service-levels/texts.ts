/** Windows of service levels in words. */
import { useFormats, useTexts } from '../texts/texts.tsx'
import type { ServiceLevel } from './queries.ts'

export const useWindowName = () => {
  const { serviceLevel: texts } = useTexts()
  const { plural } = useFormats()
  return ({ windowType, windowDays }: Pick<ServiceLevel, 'windowType' | 'windowDays'>): string =>
    windowType === 'rolling' ? plural(texts.rollingDays, windowDays) : texts.windows[windowType]
}
