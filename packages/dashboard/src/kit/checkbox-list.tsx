/** Choice of several options. A long list is searched, because it shows a part of its options. */
import { useState } from 'react'
import { CheckboxGroup, FieldError, Label, Text } from 'react-aria-components'
import { useTexts } from '../texts/texts.tsx'
import { Checkbox } from './checkbox.tsx'
import classes from './checkbox-list.module.css'
import fieldClasses from './field.module.css'
import { SearchField } from './search-field.tsx'

const SEARCHED_FROM = 12
const MAX_SHOWN = 100

interface CheckboxListProps<Value extends string> {
  label: string
  hint?: string
  error?: string
  options: readonly { value: Value; label: string }[]
  value: readonly Value[]
  isDisabled?: boolean
  onChange(value: Value[]): void
}

export const CheckboxList = <Value extends string>(props: CheckboxListProps<Value>) => {
  const { label, hint, error, options, value, isDisabled, onChange } = props
  const { choices } = useTexts()
  const [search, setSearch] = useState('')
  const text = search.trim().toLowerCase()
  const found = options.filter((option) => option.label.toLowerCase().includes(text))
  return (
    <CheckboxGroup
      className={fieldClasses.field}
      value={[...value]}
      isDisabled={isDisabled}
      isInvalid={error !== undefined}
      validationBehavior="aria"
      onChange={(chosen) => onChange(chosen as Value[])}
    >
      <Label className={fieldClasses.label}>{label}</Label>
      {hint !== undefined && (
        <Text slot="description" className={fieldClasses.hint}>
          {hint}
        </Text>
      )}
      {options.length > SEARCHED_FROM && (
        <div className={classes.search}>
          <SearchField label={choices.search} value={search} onChange={setSearch} />
        </div>
      )}
      <div className={classes.options}>
        {found.slice(0, MAX_SHOWN).map((option) => (
          <Checkbox key={option.value} value={option.value} label={option.label} />
        ))}
        {found.length === 0 && <p className={fieldClasses.hint}>{choices.none}</p>}
        {found.length > MAX_SHOWN && <p className={fieldClasses.hint}>{choices.more}</p>}
      </div>
      <FieldError className={fieldClasses.error}>{error}</FieldError>
    </CheckboxGroup>
  )
}
