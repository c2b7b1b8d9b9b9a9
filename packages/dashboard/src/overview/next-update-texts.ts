/** Next update of an open incident, as a fact or, once it is overdue, as a warning of its row. */
import type { Schemas } from '@status-page/client'
import { useFormats, useTexts } from '../texts/texts.tsx'

type NextUpdate = Pick<Schemas['Incident'], 'nextUpdateAt' | 'isUpdateOverdue'>

interface NextUpdateTexts {
  factOf(incident: NextUpdate): string | undefined
  warningOf(incident: NextUpdate): string | undefined
}

export const useNextUpdateTexts = (): NextUpdateTexts => {
  const { overview: texts } = useTexts()
  const { fill, time } = useFormats()
  const textOf = (template: string, { nextUpdateAt }: NextUpdate) =>
    nextUpdateAt === null ? undefined : fill(template, { time: time(nextUpdateAt) })
  return {
    factOf: (incident) =>
      incident.isUpdateOverdue ? undefined : textOf(texts.nextUpdate, incident),
    warningOf: (incident) =>
      incident.isUpdateOverdue ? textOf(texts.updateOverdue, incident) : undefined,
  }
}
