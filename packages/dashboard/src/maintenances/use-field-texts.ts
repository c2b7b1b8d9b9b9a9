/** Names and values of the fields of a maintenance, for conflicts. */
import { useQuery } from '@tanstack/react-query'
import { allComponentsQuery } from '../components/queries.ts'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import type { MaintenanceField, MaintenanceValues } from './draft.ts'
import type { MaintenanceData, RecurrenceData } from './queries.ts'
import { useRecurrenceText } from './recurrence-text.ts'
import { useWindowText } from './window-text.ts'

export const useFieldTexts = (maintenance: MaintenanceData, timeZone: string) => {
  const { form: texts } = useTexts().maintenance
  const { facts, number } = useFormats()
  const { can } = useSession()
  const { data = [] } = useQuery({ ...allComponentsQuery, enabled: can('COMPONENTS_VIEW') })
  const windowText = useWindowText(timeZone)
  const recurrenceText = useRecurrenceText()
  const names = new Map([...maintenance.components, ...data].map(({ id, name }) => [id, name]))
  const labels: Record<MaintenanceField, string> = {
    ...texts.flags,
    title: texts.title,
    message: texts.message,
    scheduledFor: texts.start,
    scheduledUntil: texts.end,
    componentIds: texts.components,
    remindBeforeMinutes: texts.reminderMinutes,
    recurrence: texts.repeat,
  }
  const textOf = (field: MaintenanceField, value: MaintenanceValues[MaintenanceField]): string => {
    if (typeof value === 'boolean') return value ? texts.yes : texts.no
    if (value === null) return texts.once
    if (typeof value === 'string')
      return field === 'title' || field === 'message' ? value : windowText(value, value)
    if (Array.isArray(value))
      return facts(
        value.map((one) => (typeof one === 'number' ? number(one) : (names.get(one) ?? one))),
      )
    return recurrenceText(value as RecurrenceData, maintenance.scheduledFor)
  }
  return { labels, textOf }
}
