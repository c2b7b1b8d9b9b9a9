/** Colour: one of a palette, or any as hexadecimal text. */
import type { CSSProperties } from 'react'
import { Label, Radio, RadioGroup } from 'react-aria-components'
import classes from './colour-field.module.css'
import fieldClasses from './field.module.css'
import { TextField } from './field.tsx'

const palette = [
  '#2b4acb',
  '#0b6e99',
  '#0f766e',
  '#17803d',
  '#b45309',
  '#b91c1c',
  '#a21caf',
  '#334155',
]

interface ColourFieldProps {
  label: string
  customLabel: string
  error?: string
  value: string
  onChange(colour: string): void
}

export const ColourField = ({ label, customLabel, error, value, onChange }: ColourFieldProps) => (
  <div className={fieldClasses.field}>
    <RadioGroup
      className={fieldClasses.field}
      value={palette.includes(value.toLowerCase()) ? value.toLowerCase() : null}
      onChange={onChange}
      orientation="horizontal"
    >
      <Label className={fieldClasses.label}>{label}</Label>
      <div className={classes.palette}>
        {palette.map((colour) => (
          <Radio
            key={colour}
            value={colour}
            className={classes.swatch}
            style={{ '--swatch': colour } as CSSProperties}
            aria-label={colour}
          />
        ))}
      </div>
    </RadioGroup>
    <TextField
      aria-label={customLabel}
      label=""
      error={error}
      value={value}
      onChange={onChange}
      maxLength={7}
      spellCheck="false"
    />
  </div>
)
