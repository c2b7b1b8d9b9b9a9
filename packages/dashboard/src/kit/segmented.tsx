/** Choice of one of a few short options, all of them visible. */
import { Label, Radio, RadioGroup } from 'react-aria-components'
import classes from './segmented.module.css'

interface SegmentedProps<Value extends string> {
  /** Announced by screen readers; the options explain themselves to others. */
  label: string
  options: readonly { value: Value; label: string }[]
  value: Value
  isDisabled?: boolean
  onChange(value: Value): void
}

export const Segmented = <Value extends string>(props: SegmentedProps<Value>) => (
  <RadioGroup
    className={classes.group}
    orientation="horizontal"
    value={props.value}
    isDisabled={props.isDisabled}
    onChange={(value) => props.onChange(value as Value)}
  >
    <Label className="visually-hidden">{props.label}</Label>
    {props.options.map(({ value, label }) => (
      <Radio key={value} value={value} className={classes.option}>
        {label}
      </Radio>
    ))}
  </RadioGroup>
)
