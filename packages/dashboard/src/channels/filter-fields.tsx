/** Filters of a channel: events, components and impacts. */
import { impacts, selectableChannelEvents } from '../api/contract.ts'
import { errorOf } from '../api/field-errors.ts'
import { useComponentOptions } from '../components/component-options.ts'
import { CheckboxList } from '../kit/checkbox-list.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { ChannelFormProps } from './form-props.ts'

export const FilterFields = ({ values, errors, isReadOnly, onChange }: ChannelFormProps) => {
  const { channels: texts, deliveries, impacts: impactNames } = useTexts()
  const components = useComponentOptions()
  return (
    <>
      <CheckboxList
        label={texts.events}
        hint={texts.eventsHint}
        error={errorOf(errors, 'events')}
        options={selectableChannelEvents.map((value) => ({
          value,
          label: deliveries.events[value],
        }))}
        value={values.events}
        isDisabled={isReadOnly}
        onChange={(events) => onChange({ events })}
      />
      {components.length > 0 && (
        <CheckboxList
          label={texts.components}
          hint={texts.componentsHint}
          error={errorOf(errors, 'componentIds')}
          options={components}
          value={values.componentIds}
          isDisabled={isReadOnly}
          onChange={(componentIds) => onChange({ componentIds })}
        />
      )}
      <CheckboxList
        label={texts.impacts}
        hint={texts.impactsHint}
        error={errorOf(errors, 'impacts')}
        options={impacts.map((value) => ({ value, label: impactNames[value] }))}
        value={values.impacts}
        isDisabled={isReadOnly}
        onChange={(chosen) => onChange({ impacts: chosen })}
      />
    </>
  )
}
