/** Choices of yes or no. */
import type { SyntheticEvent } from 'react'
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

interface RowCheckboxProps {
  label: string
  isSelected: boolean
  onToggle(): void
}

/**
 * Checkbox that selects the row of a virtual list. That of a form made the library render each new
 * row twice more: a third of the processor time of a scroll.
 */
export const RowCheckbox = ({ label, isSelected, onToggle }: RowCheckboxProps) => (
  <span className={classes.checkbox} data-selected={isSelected || undefined}>
    <input
      className={classes.input}
      type="checkbox"
      aria-label={label}
      checked={isSelected}
      onChange={onToggle}
      onPointerDown={stop}
      onClick={stop}
      onKeyDown={(event) => event.key === ' ' && stop(event)}
    />
    <span className={classes.box}>{isSelected && <Icon name="check" />}</span>
  </span>
)

/** The row would count a press of its checkbox as its own. */
const stop = (event: SyntheticEvent) => event.stopPropagation()
