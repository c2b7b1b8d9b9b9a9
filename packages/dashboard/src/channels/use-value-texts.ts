/** Names of the settings of a channel and their values as texts, for conflicts. */
import { useComponentOptions } from '../components/component-options.ts'
import { useFormats, useTexts } from '../texts/texts.tsx'
import {
  type ChannelConfigValues,
  type ChannelField,
  type ChannelValues,
  fieldLabel,
} from './draft.ts'

export const useValueTexts = () => {
  const { channels: texts, deliveries, impacts } = useTexts()
  const { facts } = useFormats()
  const components = useComponentOptions()
  const { name, isEnabled, messageTemplate, events } = texts
  const labels: Partial<Record<ChannelField, string>> = {
    name,
    isEnabled,
    messageTemplate,
    events,
    componentIds: texts.components,
    impacts: texts.impacts,
  } satisfies Record<Exclude<ChannelField, keyof ChannelConfigValues>, string>
  const names: Partial<Record<ChannelField, (value: string) => string>> = {
    events: (value) => deliveries.events[value as keyof typeof deliveries.events],
    componentIds: (id) => components.find(({ value }) => value === id)?.label ?? id,
    impacts: (value) => impacts[value as keyof typeof impacts],
  }
  return {
    labelOf: (field: ChannelField): string => labels[field] ?? fieldLabel(field, texts),
    textOf(field: ChannelField, value: ChannelValues[ChannelField]): string {
      if (typeof value === 'boolean') return value ? texts.yes : texts.no
      if (typeof value === 'string') return value
      return facts((value ?? []).map((one) => names[field]?.(one) ?? one))
    },
  }
}
