/** Fields of a schedule: general settings, layers, escalation and what raises alerts. */
import { useQuery } from '@tanstack/react-query'
import { CheckboxGroup, Label } from 'react-aria-components'
import { componentNamesQuery } from '../composer/queries.ts'
import { Card } from '../kit/card.tsx'
import { Checkbox } from '../kit/checkbox.tsx'
import { TextAreaField, TextField } from '../kit/field.tsx'
import { TimeZoneField } from '../kit/time-zone-field.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import { ChosenList } from './chosen-list.tsx'
import { EscalationFields } from './escalation-fields.tsx'
import { LayersFields } from './layer-fields.tsx'
import classes from './on-call.module.css'
import type { ScheduleDraft } from './schedule-draft.ts'
import { errorBelow, type ScheduleFieldsProps } from './schedule-form-props.ts'

export const ScheduleFields = (props: ScheduleFieldsProps) => {
  const { onCall: texts } = useTexts()
  return (
    <>
      <Card title={texts.general}>
        <GeneralFields {...props} />
      </Card>
      <Card title={texts.layers}>
        <LayersFields {...props} />
      </Card>
      <Card title={texts.escalation}>
        <EscalationFields {...props} />
      </Card>
      <Card title={texts.causes}>
        <CauseFields {...props} />
      </Card>
    </>
  )
}

const GeneralFields = ({ draft, errors, onChange }: ScheduleFieldsProps) => {
  const { onCall: texts } = useTexts()
  return (
    <div className={classes.formBody}>
      <TextField
        label={texts.name}
        error={errors.name}
        value={draft.name}
        onChange={(name) => onChange({ name })}
        maxLength={100}
        isRequired
      />
      <TextAreaField
        label={texts.description}
        error={errors.description}
        rows={2}
        maxLength={500}
        value={draft.description}
        onChange={(description) => onChange({ description })}
      />
      <TimeZoneField
        label={texts.timezone}
        value={draft.timezone}
        error={errors.timezone}
        onChange={(timezone) => onChange({ timezone })}
      />
      <Checkbox
        label={texts.isEnabled}
        hint={texts.isEnabledHint}
        isSelected={draft.isEnabled}
        onChange={(isEnabled) => onChange({ isEnabled })}
      />
    </div>
  )
}

const CauseFields = ({ draft, errors, onChange }: ScheduleFieldsProps) => {
  const { onCall: texts } = useTexts()
  const { can } = useSession()
  const { data } = useQuery({ ...componentNamesQuery, enabled: can('COMPONENTS_VIEW') })
  const components = data ?? []
  const events = Object.entries(texts.eventNames)
  return (
    <div className={classes.formBody}>
      <p className={classes.quiet}>{texts.causesHint}</p>
      <ChosenList
        label={texts.components}
        hint={texts.componentsHint}
        addLabel={texts.addComponent}
        error={errorBelow(errors, 'componentIds')}
        options={components.map(({ id, name, parentName }) => ({
          value: id,
          label: parentName === null ? name : `${name} (${parentName})`,
        }))}
        values={draft.componentIds}
        onChange={(componentIds) => onChange({ componentIds })}
      />
      <CheckboxGroup
        className={classes.checkboxes}
        value={draft.events}
        onChange={(chosen) => onChange({ events: chosen as ScheduleDraft['events'] })}
      >
        <Label>{texts.events}</Label>
        {events.map(([value, label]) => (
          <Checkbox key={value} value={value} label={label} />
        ))}
      </CheckboxGroup>
    </div>
  )
}
