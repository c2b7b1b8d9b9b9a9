/** Fields of the scope of a subscriber: components and events. */
import { subscriberEvents } from '../api/contract.ts'
import { errorOf, type FieldErrors } from '../api/field-errors.ts'
import { useComponentOptions } from '../components/component-options.ts'
import { CheckboxList } from '../kit/checkbox-list.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { SubscriberData } from './filters.ts'

export type SubscriberScope = Pick<SubscriberData, 'componentIds' | 'events'>

interface ScopeFieldsProps {
  scope: SubscriberScope
  errors: FieldErrors
  onChange(patch: Partial<SubscriberScope>): void
}

export const ScopeFields = ({ scope, errors, onChange }: ScopeFieldsProps) => {
  const { subscribers: texts, deliveries } = useTexts()
  const components = useComponentOptions()
  return (
    <>
      {components.length > 0 && (
        <CheckboxList
          label={texts.components}
          hint={texts.allComponentsHint}
          error={errorOf(errors, 'componentIds')}
          options={components}
          value={scope.componentIds}
          onChange={(componentIds) => onChange({ componentIds })}
        />
      )}
      <CheckboxList
        label={texts.events}
        hint={texts.allEventsHint}
        error={errorOf(errors, 'events')}
        options={subscriberEvents.map((value) => ({ value, label: deliveries.events[value] }))}
        value={scope.events}
        onChange={(events) => onChange({ events })}
      />
    </>
  )
}
