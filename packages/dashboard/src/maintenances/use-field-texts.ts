/** Names and values of the fields of a maintenance, for conflicts. */
import { useQuery } from '@tanstack/react-query'
import { allComponentsQuery } from '../components/queries.ts'
import { useSession } from '../session/session.tsx'
import { identifierWords } from '../texts/identifier-words.ts'
import { useFormats, useTexts } from '../texts/texts.tsx'
import {
  type MaintenanceField,
  type MaintenanceValues,
  maintenanceFields,
  optionLabel,
} from './draft.ts'
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
  const optionLabels = maintenanceFields.map((field) => [field, optionLabel(field, texts)])
  const labels: Record<MaintenanceField, string> = {
    ...Object.fromEntries(optionLabels),
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
    if (typeof value === 'string') {
      if (field === 'scheduledFor' || field === 'scheduledUntil') return windowText(value, value)
      return field === 'title' || field === 'message' ? value : identifierWords(value)
    }
    if (Array.isArray(value))
      return facts(
        value.map((one) => (typeof one === 'number' ? number(one) : (names.get(one) ?? one))),
      )
    return recurrenceText(value as RecurrenceData, maintenance.scheduledFor)
  }
  return { labels, textOf }
}
