/** Windows of local time in which a layer is on duty. */
import { Button } from '../kit/button.tsx'
import { TextField } from '../kit/field.tsx'
import { Icon } from '../kit/icon.tsx'
import { Select } from '../kit/select.tsx'
import { useFormats, useLanguage, useTexts } from '../texts/texts.tsx'
import classes from './on-call.module.css'
import { endingAt, type LayerWindow, newWindow, windowEnd } from './schedule-draft.ts'
import { errorsBelow, type LayerPartProps } from './schedule-form-props.ts'

export const WindowFields = ({ layer, errors, onChange }: LayerPartProps) => {
  const { onCall: texts } = useTexts()
  const { restrictions } = layer
  const set = (changed: LayerWindow[]) => onChange({ ...layer, restrictions: changed })
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a grid in every browser
    <div className={classes.chosen} role="group" aria-label={texts.windows}>
      <span className={classes.label}>{texts.windows}</span>
      <span className={classes.quiet}>{texts.windowsHint}</span>
      {restrictions.map((restriction, index) => (
        <WindowRow
          key={index}
          restriction={restriction}
          number={index + 1}
          errors={errorsBelow(errors, `restrictions[${index}].`)}
          onChange={(changed) => set(restrictions.with(index, changed))}
          onRemove={() => set(restrictions.toSpliced(index, 1))}
        />
      ))}
      <div className={classes.actions}>
        <Button onPress={() => set([...restrictions, newWindow('daily')])}>{texts.addDaily}</Button>
        <Button onPress={() => set([...restrictions, newWindow('weekly')])}>
          {texts.addWeekly}
        </Button>
      </div>
    </div>
  )
}

interface WindowRowProps {
  restriction: LayerWindow
  number: number
  errors: Readonly<Record<string, string>>
  onChange(restriction: LayerWindow): void
  onRemove(): void
}

const WindowRow = ({ restriction, number, errors, onChange, onRemove }: WindowRowProps) => {
  const { onCall: texts, actions } = useTexts()
  const { fill, labelled } = useFormats()
  const end = windowEnd(restriction)
  const isWeekly = restriction.type === 'weekly'
  const error = errors.startTime ?? errors.durationSeconds ?? errors.startDay
  return (
    <fieldset className={classes.window} data-weekly={isWeekly || undefined}>
      <legend className="visually-hidden">
        {isWeekly ? texts.weekly : texts.daily} {number}
      </legend>
      {isWeekly && (
        <DaySelect
          label={texts.fromDay}
          value={restriction.startDay}
          onChange={(startDay) => onChange(endingAt({ ...restriction, startDay }, end))}
        />
      )}
      <TextField
        type="time"
        label={texts.from}
        error={error}
        value={restriction.startTime}
        onChange={(startTime) =>
          startTime !== '' && onChange(endingAt({ ...restriction, startTime }, end))
        }
      />
      {isWeekly && (
        <DaySelect
          label={texts.toDay}
          value={end.day}
          onChange={(day) => onChange(endingAt(restriction, { ...end, day }))}
        />
      )}
      <TextField
        type="time"
        label={texts.to}
        value={end.time}
        onChange={(time) => time !== '' && onChange(endingAt(restriction, { ...end, time }))}
      />
      <Button
        emphasis="quiet"
        aria-label={labelled(actions.remove, fill(texts.window, { number }))}
        onPress={onRemove}
      >
        <Icon name="cross" />
      </Button>
    </fieldset>
  )
}

const DAY_MS = 86_400_000
/** Monday, 1970-01-05. */
const FIRST_MONDAY_MS = 4 * DAY_MS
const weekdays = [1, 2, 3, 4, 5, 6, 7] as const

interface DaySelectProps {
  label: string
  /** 1 is Monday. */
  value: number
  onChange(day: number): void
}

const DaySelect = ({ label, value, onChange }: DaySelectProps) => {
  const { formatLocale: locale } = useLanguage()
  const names = new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' })
  return (
    <Select
      label={label}
      options={weekdays.map((day) => ({
        value: String(day),
        label: names.format(FIRST_MONDAY_MS + (day - 1) * DAY_MS),
      }))}
      value={String(value)}
      onChange={(day) => onChange(Number(day))}
    />
  )
}
