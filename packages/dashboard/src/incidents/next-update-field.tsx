/** Promise of the next update: none, after some minutes, or at a time. */
import { DateTimeField } from '../kit/date-time-field.tsx'
import { Select } from '../kit/select.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './incidents.module.css'
import type { UpdateInput } from './update-input.ts'

const minutes = [15, 30, 60, 120] as const
const DEFAULT_DELAY_MS = 4 * 3_600_000

interface NextUpdateFieldProps {
  value: UpdateInput['nextUpdate']
  error?: string
  onChange(value: UpdateInput['nextUpdate']): void
}

export const NextUpdateField = ({ value, error, onChange }: NextUpdateFieldProps) => {
  const { incident: texts } = useTexts()
  const { plural } = useFormats()
  const isTime = typeof value === 'string'
  const options = [
    { value: 'none', label: texts.notPromised },
    ...minutes.map((count) => ({
      value: String(count),
      label: plural(texts.form.inMinutes, count),
    })),
    { value: 'time', label: texts.form.atTime },
  ]
  const choose = (chosen: string) => {
    if (chosen === 'none') onChange(null)
    else if (chosen === 'time') onChange(new Date(Date.now() + DEFAULT_DELAY_MS).toISOString())
    else onChange(Number(chosen))
  }
  return (
    <div className={classes.pair}>
      <Select
        label={texts.nextUpdate}
        options={options}
        value={isTime ? 'time' : String(value ?? 'none')}
        onChange={choose}
      />
      {isTime && (
        <DateTimeField
          label={texts.form.time}
          error={error}
          value={value}
          onChange={(time) => onChange(time)}
        />
      )}
    </div>
  )
}
