/** Date and time in a time zone, by the control of the browser. */
import { TextField } from './field.tsx'
import { fromZonedText, toZonedText } from './zoned-time.ts'

interface ZonedTimeFieldProps {
  label: string
  hint?: string
  error?: string
  timeZone: string
  /** Time in ISO 8601; the field is never empty. */
  value: string
  onChange(value: string): void
}

export const ZonedTimeField = (props: ZonedTimeFieldProps) => {
  const { value, timeZone, onChange, ...field } = props
  return (
    <TextField
      {...field}
      type="datetime-local"
      value={toZonedText(value, timeZone)}
      onChange={(text) => {
        const time = fromZonedText(text, timeZone)
        if (time !== null) onChange(time)
      }}
      isRequired
    />
  )
}
