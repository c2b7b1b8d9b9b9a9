/** Filter of a list by one of several values, or by none. */
import { LazyComboBox } from './lazy-combo-box.tsx'
import { Select } from './select.tsx'

const ANY = 'any'
/** Options of a list that is searched. */
const SEARCHED_FROM = 25

interface FilterSelectProps<Value extends string> {
  label: string
  /** Name of the option without a filter. */
  anyLabel: string
  options: readonly { value: Value; label: string }[]
  /** Searches a long list; for resources, whose number varies. */
  isSearchable?: boolean
  /** Undefined without a filter. */
  value: Value | undefined
  onChange(value: Value | undefined): void
}

export const FilterSelect = <Value extends string>(props: FilterSelectProps<Value>) => {
  const { label, anyLabel, options, isSearchable = false, value, onChange } = props
  const choice = {
    label,
    options: [{ value: ANY, label: anyLabel }, ...options],
    value: value ?? ANY,
    onChange: (chosen: string) => onChange(chosen === ANY ? undefined : (chosen as Value)),
  }
  const isSearched = isSearchable && options.length >= SEARCHED_FROM
  return isSearched ? <LazyComboBox {...choice} /> : <Select<string> {...choice} />
}
