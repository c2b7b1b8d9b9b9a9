/** Fields of a maintenance, in three cards. */
import { CheckboxGroup, Label } from 'react-aria-components'
import { ComponentPicker } from '../components/component-picker.tsx'
import { Card } from '../kit/card.tsx'
import { Checkbox } from '../kit/checkbox.tsx'
import { TextField } from '../kit/field.tsx'
import { MessageEditor } from '../kit/message-editor.tsx'
import { Select } from '../kit/select.tsx'
import { ZonedTimeField } from '../kit/zoned-time-field.tsx'
import { identifierWords } from '../texts/identifier-words.ts'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { errorAt, isEditable, optionLabel, switches, withStart } from './draft.ts'
import type { MaintenanceEditorProps } from './editor-props.ts'
import classes from './maintenances.module.css'
import { RecurrenceFields } from './recurrence-fields.tsx'
import { ZoneField } from './zone-field.tsx'

export const EditorFields = (props: MaintenanceEditorProps) => (
  <>
    <ContentCard {...props} />
    <TimesCard {...props} />
    <BehaviourCard {...props} />
  </>
)

const MAX_TITLE = 255

const ContentCard = ({ maintenance, values, errors, set }: MaintenanceEditorProps) => {
  const { form: texts } = useTexts().maintenance
  return (
    <Card title={texts.content}>
      <div className={classes.fields}>
        <TextField
          label={texts.title}
          error={errorAt(errors, 'title')}
          value={values.title}
          onChange={(title) => set({ title })}
          maxLength={MAX_TITLE}
          isRequired
        />
        <MessageEditor
          label={texts.message}
          error={errorAt(errors, 'message')}
          value={values.message}
          onChange={(message) => set({ message })}
          rows={5}
        />
        {maintenance !== null && <p className={classes.quiet}>{texts.messageHint}</p>}
        {isEditable(maintenance, 'componentIds') && (
          <ComponentPicker
            label={texts.components}
            none={texts.noComponents}
            listed={maintenance?.components ?? []}
            ids={values.componentIds}
            error={errorAt(errors, 'componentIds')}
            onChange={(componentIds) => set({ componentIds })}
          />
        )}
      </div>
    </Card>
  )
}

const TimesCard = (props: MaintenanceEditorProps) => {
  const { maintenance, values, errors, timeZone, set, setTimeZone } = props
  const { form: texts } = useTexts().maintenance
  const isOpen = isEditable(maintenance, 'scheduledUntil')
  if (!isOpen && !isEditable(maintenance, 'recurrence')) return null
  return (
    <Card title={texts.times}>
      <div className={classes.fields}>
        <ZoneField value={timeZone} error={errors['recurrence.timezone']} onChange={setTimeZone} />
        {isOpen && (
          <div className={classes.short}>
            {isEditable(maintenance, 'scheduledFor') && (
              <ZonedTimeField
                label={texts.start}
                error={errorAt(errors, 'scheduledFor')}
                timeZone={timeZone}
                value={values.scheduledFor}
                onChange={(start) => set(withStart(values, start))}
              />
            )}
            <ZonedTimeField
              label={texts.end}
              error={errorAt(errors, 'scheduledUntil')}
              timeZone={timeZone}
              value={values.scheduledUntil}
              onChange={(scheduledUntil) => set({ scheduledUntil })}
            />
          </div>
        )}
        {isEditable(maintenance, 'recurrence') && <RecurrenceFields {...props} />}
        {values.recurrence !== null && maintenance !== null && (
          <p className={classes.quiet}>{texts.seriesHint}</p>
        )}
      </div>
    </Card>
  )
}

const BehaviourCard = (props: MaintenanceEditorProps) => {
  const { form: texts } = useTexts().maintenance
  if (!isEditable(props.maintenance, 'autoComplete')) return null
  return (
    <Card title={texts.behaviour}>
      <div className={classes.fields}>
        <div>
          {switches.map((option) => (
            <SwitchField key={option.name} {...props} option={option} />
          ))}
        </div>
        <RemindersField {...props} />
      </div>
    </Card>
  )
}

interface SwitchFieldProps extends MaintenanceEditorProps {
  option: (typeof switches)[number]
}

const SwitchField = ({ option, values, errors, set }: SwitchFieldProps) => {
  const { form: texts } = useTexts().maintenance
  const { name, choices } = option
  const hints: Partial<Record<string, string>> = texts.flagHints
  if (option.kind === 'choice') {
    return (
      <Select
        label={optionLabel(name, texts)}
        error={errorAt(errors, name)}
        options={choices.map((value) => ({ value, label: identifierWords(value) }))}
        value={String(values[name])}
        onChange={(value) => set({ [name]: value })}
      />
    )
  }
  return (
    <Checkbox
      label={optionLabel(name, texts)}
      hint={hints[name]}
      isSelected={values[name] === true}
      onChange={(isSelected) => set({ [name]: isSelected })}
    />
  )
}

const offeredMinutes = [15, 60, 1_440, 4_320, 10_080]
const MAX_REMINDERS = 5
const units = [
  { unit: 'day', minutes: 1_440 },
  { unit: 'hour', minutes: 60 },
  { unit: 'minute', minutes: 1 },
] as const

const RemindersField = ({ maintenance, values, errors, set }: MaintenanceEditorProps) => {
  const { form: texts } = useTexts().maintenance
  const { plural } = useFormats()
  const stored = maintenance?.remindBeforeMinutes ?? []
  const offered = [...new Set([...offeredMinutes, ...stored])].sort((a, b) => a - b)
  const labelOf = (minutes: number) => {
    const { unit, minutes: length } = units.find((one) => minutes % one.minutes === 0) ?? units[2]
    return plural(texts.before[unit], minutes / length)
  }
  const error = errorAt(errors, 'remindBeforeMinutes')
  return (
    <CheckboxGroup
      className={classes.choice}
      value={values.remindBeforeMinutes.map(String)}
      onChange={(chosen) => set({ remindBeforeMinutes: chosen.map(Number).sort((a, b) => b - a) })}
    >
      <Label className={classes.choiceLabel}>{texts.reminders}</Label>
      <div className={classes.choices}>
        {offered.map((minutes) => (
          <Checkbox
            key={minutes}
            value={String(minutes)}
            label={labelOf(minutes)}
            isDisabled={
              values.remindBeforeMinutes.length >= MAX_REMINDERS &&
              !values.remindBeforeMinutes.includes(minutes)
            }
          />
        ))}
      </div>
      {error !== undefined && <p className={classes.error}>{error}</p>}
    </CheckboxGroup>
  )
}
