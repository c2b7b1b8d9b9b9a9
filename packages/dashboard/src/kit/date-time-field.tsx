/** Date and time in the time zone of the browser, by the control of the browser. */
import { TextField } from './field.tsx'

interface DateTimeFieldProps {
  label: string
  hint?: string
  error?: string
  /** Time in ISO 8601; null for an empty field. */
  value: string | null
  onChange(value: string | null): void
  isRequired?: boolean
}

export const DateTimeField = ({ value, onChange, ...props }: DateTimeFieldProps) => (
  <TextField
    {...props}
    type="datetime-local"
    value={value === null ? '' : toLocalTime(value)}
    onChange={(text) => onChange(toIsoTime(text))}
  />
)

const MINUTE_MS = 60_000
const LOCAL_TIME_LENGTH = 'yyyy-mm-ddThh:mm'.length

/** Value of the control, to the minute. */
export const toLocalTime = (iso: string): string => {
  const date = new Date(iso)
  const shifted = date.getTime() - date.getTimezoneOffset() * MINUTE_MS
  return new Date(shifted).toISOString().slice(0, LOCAL_TIME_LENGTH)
}

/** Null for an empty or incomplete value. */
export const toIsoTime = (local: string): string | null => {
  const date = new Date(local)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}
