/** Value that is copied to another place, such as a key or an address. */
import { useId } from 'react'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { CopyButton } from './copy-button.tsx'
import classes from './copy-field.module.css'
import fieldClasses from './field.module.css'

interface CopyFieldProps {
  label: string
  value: string
}

export const CopyField = ({ label, value }: CopyFieldProps) => {
  const { copy } = useTexts()
  const { labelled } = useFormats()
  const id = useId()
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a grid in every browser
    <div className={classes.field} role="group" aria-labelledby={id}>
      <span id={id} className={fieldClasses.label}>
        {label}
      </span>
      <div className={classes.row}>
        <code className={classes.value} dir="ltr">
          {value}
        </code>
        <CopyButton text={value} label={labelled(copy.copy, label)} />
      </div>
    </div>
  )
}
