/** Names and values of the fields of a service level, for conflicts. */
import { useQuery } from '@tanstack/react-query'
import { allComponentsQuery } from '../components/queries.ts'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import type { ServiceLevelField, ServiceLevelValues } from './draft.ts'

export const useFieldTexts = () => {
  const { serviceLevel, components: statuses } = useTexts()
  const { form: texts, windows } = serviceLevel
  const { facts, number } = useFormats()
  const { can } = useSession()
  const { data = [] } = useQuery({ ...allComponentsQuery, enabled: can('COMPONENTS_VIEW') })
  const known: Record<string, string> = {
    ...statuses,
    ...windows,
    ...texts.aggregations,
    ...Object.fromEntries(data.map(({ id, name }) => [id, name])),
  }
  const labels: Record<ServiceLevelField, string> = { ...texts, componentIds: texts.components }
  const textOf = (
    _field: ServiceLevelField,
    value: ServiceLevelValues[ServiceLevelField],
  ): string => {
    if (value === null) return ''
    if (typeof value === 'boolean') return value ? texts.yes : texts.no
    if (typeof value === 'number') return number(value)
    return facts([value].flat().map((one) => known[one] ?? one))
  }
  return { labels, textOf }
}
