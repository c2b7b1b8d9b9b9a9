/** Choice of one of many options, found by typing. */
import { type ReactNode, use } from 'react'
import {
  ComboBox as AriaComboBox,
  Button,
  ComboBoxStateContext,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  ListLayout,
  OverlayTriggerStateContext,
  Popover,
  Virtualizer,
} from 'react-aria-components'
import classes from './combo-box.module.css'
import fieldClasses from './field.module.css'
import { Icon } from './icon.tsx'
import menuClasses from './menu.module.css'

/** The layout of a virtual list requires it in pixels. */
const ROW_SIZE_PX = 38

export interface ComboBoxProps {
  label: string
  /** Whether the label is only the placeholder and the name for screen readers. */
  isLabelHidden?: boolean
  options: readonly { value: string; label: string }[]
  value: string
  error?: string
  isDisabled?: boolean
  autoFocus?: boolean
  onChange(value: string): void
}

export const ComboBox = (props: ComboBoxProps) => {
  const {
    label,
    isLabelHidden = false,
    options,
    value,
    error,
    isDisabled,
    autoFocus,
    onChange,
  } = props
  return (
    <AriaComboBox
      className={fieldClasses.field}
      defaultItems={options}
      value={value}
      isDisabled={isDisabled}
      autoFocus={autoFocus}
      isInvalid={error !== undefined}
      validationBehavior="aria"
      onChange={(key) => key !== null && onChange(String(key))}
    >
      <Label className={isLabelHidden ? 'visually-hidden' : fieldClasses.label}>{label}</Label>
      <span className={classes.group}>
        <Input className={classes.input} placeholder={isLabelHidden ? label : undefined} />
        <Button className={classes.open}>
          <Icon name="chevron" />
        </Button>
      </span>
      <FieldError className={fieldClasses.error}>{error}</FieldError>
      <OptionsPopover>
        <Virtualizer layout={ListLayout} layoutOptions={{ rowSize: ROW_SIZE_PX }}>
          <ListBox<(typeof options)[number]> className={classes.list}>
            {(option) => (
              <ListBoxItem id={option.value} className={menuClasses.item} textValue={option.label}>
                <bdi className={classes.label}>{option.label}</bdi>
              </ListBoxItem>
            )}
          </ListBox>
        </Virtualizer>
      </OptionsPopover>
    </AriaComboBox>
  )
}

/**
 * Popover that a scroll of the page closes without a change of the entered text. The library would
 * replace the text by that of the present value, even by the scroll that the focus causes.
 */
const OptionsPopover = ({ children }: { children: ReactNode }) => {
  const state = use(ComboBoxStateContext)
  return (
    <OverlayTriggerStateContext value={state && { ...state, close: () => state.toggle() }}>
      <Popover className={menuClasses.popover}>{children}</Popover>
    </OverlayTriggerStateContext>
  )
}
