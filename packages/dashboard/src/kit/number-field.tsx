/** Number; other input stays in the field and does not become the value. */
import { useEffect, useState } from 'react'
import { TextField } from './field.tsx'

interface NumberFieldProps {
  label: string
  hint?: string
  error?: string
  kind: 'integer' | 'decimal'
  /** Null for an empty field. */
  value: number | null
  min?: number
  max?: number
  onChange(value: number): void
  /** Absent for a number that is required. */
  onEmpty?(): void
}

export const NumberField = (props: NumberFieldProps) => {
  const { kind, value, min = 0, max = Number.MAX_SAFE_INTEGER, onChange, onEmpty, ...field } = props
  const shown = value === null ? '' : String(value)
  const [text, setText] = useState(shown)
  useEffect(() => setText(shown), [shown])
  const parse = (input: string): number | null => {
    // Languages differ in the decimal separator; both are accepted.
    const number = input.trim() === '' ? Number.NaN : Number(input.replace(',', '.'))
    const isKind = kind === 'decimal' ? Number.isFinite(number) : Number.isInteger(number)
    return isKind && number >= min && number <= max ? number : null
  }
  const isEmptyAllowed = onEmpty !== undefined && text.trim() === ''
  return (
    <TextField
      {...field}
      inputMode={kind === 'integer' ? 'numeric' : 'decimal'}
      value={text}
      isInvalid={!isEmptyAllowed && parse(text) === null}
      onChange={(input) => {
        setText(input)
        const number = parse(input)
        if (number !== null) onChange(number)
        else if (input.trim() === '') onEmpty?.()
      }}
      onBlur={() => setText(shown)}
    />
  )
}
