/** Recurrence: frequency, interval, days and end, with the windows that result. */
import { CheckboxGroup, Label } from 'react-aria-components'
import { Checkbox } from '../kit/checkbox.tsx'
import { TextField } from '../kit/field.tsx'
import { NumberField } from '../kit/number-field.tsx'
import { Select } from '../kit/select.tsx'
import { fromZonedText, toZonedText } from '../kit/zoned-time.ts'
import { useTexts } from '../texts/texts.tsx'
import { errorAt, monthDateOf } from './draft.ts'
import type { MaintenanceEditorProps } from './editor-props.ts'
import classes from './maintenances.module.css'
import type { RecurrenceData } from './queries.ts'
import { RecurrencePreview } from './recurrence-preview.tsx'
import { ruleText, useRuleWords } from './recurrence-text.ts'
import {
  type Frequency,
  formatRule,
  frequencies,
  monthlyPatterns,
  parseRule,
  type Rule,
  ruleOn,
  sortDays,
  type Weekday,
  weekdays,
} from './rule.ts'

const NONE = 'none'
const OTHER = 'other'

export const RecurrenceFields = (props: MaintenanceEditorProps) => {
  const { values, errors, timeZone, set } = props
  const { form: texts } = useTexts().maintenance
  const { recurrence, scheduledFor } = values
  const rule = recurrence === null ? null : parseRule(recurrence.rrule)
  const isOther = recurrence !== null && rule === null
  const options: { value: Frequency | typeof NONE | typeof OTHER; label: string }[] = [
    { value: NONE, label: texts.once },
    ...frequencies.map((value) => ({ value, label: texts.frequencies[value] })),
    ...(isOther ? [{ value: OTHER, label: recurrence.rrule } as const] : []),
  ]
  const choose = (value: Frequency | typeof NONE | typeof OTHER) => {
    if (value === OTHER) return
    if (value === NONE) return set({ recurrence: null })
    const rrule = formatRule(ruleOn(value, monthDateOf(scheduledFor, timeZone)))
    set({ recurrence: { rrule, timezone: timeZone, until: recurrence?.until ?? null } })
  }
  return (
    <>
      <Select
        label={texts.repeat}
        options={options}
        value={isOther ? OTHER : (rule?.frequency ?? NONE)}
        error={errorAt(errors, 'recurrence')}
        onChange={choose}
      />
      {recurrence !== null && rule !== null && (
        <RuleFields
          {...props}
          rule={rule}
          recurrence={recurrence}
          onRule={(next) => set({ recurrence: { ...recurrence, rrule: formatRule(next) } })}
        />
      )}
      {recurrence !== null && <RecurrencePreview values={values} recurrence={recurrence} />}
    </>
  )
}

interface RuleFieldsProps extends MaintenanceEditorProps {
  rule: Rule
  recurrence: RecurrenceData
  onRule(rule: Rule): void
}

const MAX_INTERVAL = 366

const RuleFields = (props: RuleFieldsProps) => {
  const { rule, onRule } = props
  const { form: texts } = useTexts().maintenance
  return (
    <>
      <div className={classes.short}>
        <NumberField
          label={texts.interval[rule.frequency]}
          value={rule.interval}
          kind="integer"
          min={1}
          max={MAX_INTERVAL}
          onChange={(interval) => onRule({ ...rule, interval })}
        />
        {rule.frequency === 'MONTHLY' && <MonthlyField {...props} />}
      </div>
      {rule.frequency === 'WEEKLY' && <WeekdaysField {...props} />}
      <EndFields {...props} />
    </>
  )
}

const WeekdaysField = ({ rule, onRule }: RuleFieldsProps) => {
  const { form: texts } = useTexts().maintenance
  const { dayName } = useRuleWords()
  const chosen = rule.days.map(({ day }) => day)
  return (
    <CheckboxGroup
      className={classes.choice}
      value={chosen}
      onChange={(next) => {
        // A rule without a day would be on the day of the first maintenance, without saying so.
        if (next.length === 0) return
        const days = sortDays(next as Weekday[]).map((day) => ({ day, ordinal: null }))
        onRule({ ...rule, days })
      }}
    >
      <Label className={classes.choiceLabel}>{texts.weekdays}</Label>
      <div className={classes.choices}>
        {weekdays.map((day) => (
          <Checkbox key={day} value={day} label={dayName(day)} />
        ))}
      </div>
    </CheckboxGroup>
  )
}

const MonthlyField = ({ rule, values, timeZone, onRule }: RuleFieldsProps) => {
  const { form: texts } = useTexts().maintenance
  const words = useRuleWords()
  const date = monthDateOf(values.scheduledFor, timeZone)
  const patterns = monthlyPatterns(date).map((pattern) => ({
    ...rule,
    interval: 1,
    count: null,
    ...pattern,
  }))
  const present = { ...rule, interval: 1, count: null }
  const keyOf = (one: Rule) => formatRule(one)
  const isListed = patterns.some((one) => keyOf(one) === keyOf(present))
  const offered = isListed ? patterns : [present, ...patterns]
  return (
    <Select
      label={texts.monthly}
      options={offered.map((one) => ({ value: keyOf(one), label: ruleText(one, date, words) }))}
      value={keyOf(present)}
      onChange={(key) => {
        const { days, monthDays } = offered.find((one) => keyOf(one) === key) ?? present
        onRule({ ...rule, days, monthDays })
      }}
    />
  )
}

const ends = ['never', 'until', 'count'] as const
const DEFAULT_COUNT = 10
const MAX_COUNT = 1_000
/** Length of `until` after the start when it is chosen. */
const DEFAULT_UNTIL_MS = 180 * 86_400_000
const DATE_LENGTH = 'yyyy-mm-dd'.length

const EndFields = ({
  rule,
  recurrence,
  values,
  errors,
  timeZone,
  set,
  onRule,
}: RuleFieldsProps) => {
  const { form: texts } = useTexts().maintenance
  const { until } = recurrence
  const end = until !== null ? 'until' : rule.count !== null ? 'count' : 'never'
  const setEnd = (count: number | null, time: string | null) =>
    set({
      recurrence: { ...recurrence, rrule: formatRule({ ...rule, count }), until: time },
    })
  const choose = (chosen: (typeof ends)[number]) => {
    const later = new Date(Date.parse(values.scheduledFor) + DEFAULT_UNTIL_MS).toISOString()
    setEnd(
      chosen === 'count' ? DEFAULT_COUNT : null,
      chosen === 'until' ? endOfDay(toZonedText(later, timeZone), timeZone) : null,
    )
  }
  return (
    <div className={classes.short}>
      <Select
        label={texts.ends}
        options={ends.map((value) => ({ value, label: texts.endings[value] }))}
        value={end}
        onChange={choose}
      />
      {until !== null && (
        <UntilField
          until={until}
          timeZone={timeZone}
          error={errors['recurrence.until']}
          onChange={(time) => setEnd(null, time)}
        />
      )}
      {end === 'count' && (
        <NumberField
          label={texts.count}
          value={rule.count ?? DEFAULT_COUNT}
          kind="integer"
          min={1}
          max={MAX_COUNT}
          onChange={(count) => onRule({ ...rule, count })}
        />
      )}
    </div>
  )
}

interface UntilFieldProps {
  until: string
  timeZone: string
  error: string | undefined
  onChange(until: string): void
}

const UntilField = ({ until, timeZone, error, onChange }: UntilFieldProps) => (
  <TextField
    type="date"
    label={useTexts().maintenance.form.until}
    error={error}
    value={toZonedText(until, timeZone).slice(0, DATE_LENGTH)}
    onChange={(date) => {
      const time = endOfDay(date, timeZone)
      if (time !== null) onChange(time)
    }}
  />
)

/** Last minute of a day; null for an incomplete date. */
const endOfDay = (date: string, timeZone: string): string | null =>
  fromZonedText(`${date.slice(0, DATE_LENGTH)}T23:59`, timeZone)
