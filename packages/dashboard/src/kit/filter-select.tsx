/** Filter of a list by one of several values, or by none. */
import { Select } from './select.tsx'

const ANY = 'any'

interface FilterSelectProps<Value extends string> {
  label: string
  /** Name of the option without a filter. */
  anyLabel: string
  options: readonly { value: Value; label: string }[]
  /** Undefined without a filter. */
  value: Value | undefined
  onChange(value: Value | undefined): void
}

export const FilterSelect = <Value extends string>(props: FilterSelectProps<Value>) => {
  const { label, anyLabel, options, value, onChange } = props
  return (
    <Select<Value | typeof ANY>
      label={label}
      options={[{ value: ANY, label: anyLabel }, ...options]}
      value={value ?? ANY}
      onChange={(chosen) => onChange(chosen === ANY ? undefined : (chosen as Value))}
    />
  )
}
