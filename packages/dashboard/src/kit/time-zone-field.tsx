/** Choice of a time zone of the IANA database. */
import { useMemo } from 'react'
import type { ComboBoxProps } from './combo-box.tsx'
import { LazyComboBox } from './lazy-combo-box.tsx'

const zones = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])]

/** Options with the current value, which a browser may know by another name. */
const optionsOf = (current: string): ComboBoxProps['options'] =>
  [...new Set([current, ...zones])].map((value) => ({ value, label: value.replaceAll('_', ' ') }))

export const TimeZoneField = (props: Omit<ComboBoxProps, 'options' | 'isLabelHidden'>) => {
  const { value } = props
  // A list of another identity is filtered again, which takes longer than a key press.
  const options = useMemo(() => optionsOf(value), [value])
  return <LazyComboBox {...props} options={options} />
}
