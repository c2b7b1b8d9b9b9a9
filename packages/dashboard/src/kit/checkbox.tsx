/** Choices of yes or no. */
import {
  Checkbox as AriaCheckbox,
  type CheckboxProps as AriaCheckboxProps,
  Text,
} from 'react-aria-components'
import classes from './checkbox.module.css'
import fieldClasses from './field.module.css'
import { Icon } from './icon.tsx'

interface CheckboxProps extends Omit<AriaCheckboxProps, 'children' | 'className'> {
  /** Absent for a checkbox that its row names. */
  label?: string
  hint?: string
}

export const Checkbox = ({ label, hint, ...props }: CheckboxProps) => (
  <div className={classes.field}>
    <AriaCheckbox {...props} className={classes.checkbox}>
      {({ isSelected, isIndeterminate }) => (
        <>
          <span className={classes.box}>
            {isIndeterminate ? <Icon name="minus" /> : isSelected && <Icon name="check" />}
          </span>
          {label}
        </>
      )}
    </AriaCheckbox>
    {hint !== undefined && <Text className={`${fieldClasses.hint} ${classes.hint}`}>{hint}</Text>}
  </div>
)
