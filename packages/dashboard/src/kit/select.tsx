/** Choice of one of a few options. */
import {
  Select as AriaSelect,
  Button,
  FieldError,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  SelectValue,
} from 'react-aria-components'
import fieldClasses from './field.module.css'
import { Icon } from './icon.tsx'
import classes from './menu.module.css'

interface SelectProps<Value extends string> {
  label: string
  options: readonly { value: Value; label: string }[]
  value: Value
  error?: string
  isDisabled?: boolean
  isLabelHidden?: boolean
  onChange(value: Value): void
}

export const Select = <Value extends string>(props: SelectProps<Value>) => {
  const { label, options, value, error, isDisabled, isLabelHidden = false, onChange } = props
  return (
    <AriaSelect
      className={fieldClasses.field}
      value={value}
      isDisabled={isDisabled}
      isInvalid={error !== undefined}
      validationBehavior="aria"
      onChange={(key) => onChange(key as Value)}
    >
      <Label className={isLabelHidden ? 'visually-hidden' : fieldClasses.label}>{label}</Label>
      <Button className={`${fieldClasses.input} ${classes.trigger}`}>
        <SelectValue />
        <Icon name="chevron" />
      </Button>
      <FieldError className={fieldClasses.error}>{error}</FieldError>
      <Popover className={classes.popover}>
        <ListBox className={classes.list} items={options}>
          {(option) => (
            <ListBoxItem id={option.value} className={classes.item} textValue={option.label}>
              {option.label}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  )
}
