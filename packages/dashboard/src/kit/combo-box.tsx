/** Choice of one of many options, found by typing. */
import { type ReactNode, use, useMemo, useState } from 'react'
import {
  ComboBox as AriaComboBox,
  Button,
  Collection,
  ComboBoxStateContext,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  ListBoxLoadMoreItem,
  ListLayout,
  OverlayTriggerStateContext,
  Popover,
  useFilter,
  Virtualizer,
} from 'react-aria-components'
import classes from './combo-box.module.css'
import fieldClasses from './field.module.css'
import { Icon } from './icon.tsx'
import menuClasses from './menu.module.css'

/** The layout of a virtual list requires it in pixels. */
const ROW_SIZE_PX = 38
/** Options that are added at a time: the library renders all of them, also while it is closed. */
const OPTIONS_PER_PART = 50

interface Option {
  value: string
  label: string
}

export interface ComboBoxProps {
  label: string
  /** Whether the label is only the placeholder and the name for screen readers. */
  isLabelHidden?: boolean
  options: readonly Option[]
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
  const { text, setText, reset, items, showMore } = useMatches(options, value)
  return (
    <AriaComboBox
      className={fieldClasses.field}
      items={items}
      inputValue={text}
      onInputChange={setText}
      value={value}
      isDisabled={isDisabled}
      autoFocus={autoFocus}
      isInvalid={error !== undefined}
      validationBehavior="aria"
      onChange={(key) => {
        reset()
        if (key !== null && key !== value) onChange(String(key))
      }}
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
        <Options items={items} showMore={showMore} />
      </OptionsPopover>
    </AriaComboBox>
  )
}

export type AddComboBoxProps = Omit<ComboBoxProps, 'value'>

/** Combo box that adds options to a list: after a choice it is empty and has the focus. */
export const AddComboBox = ({ autoFocus = false, onChange, ...props }: AddComboBoxProps) => {
  const [added, setAdded] = useState(0)
  return (
    <ComboBox
      {...props}
      // The library opens a list whose text is reset.
      key={added}
      autoFocus={autoFocus || added > 0}
      value=""
      onChange={(value) => {
        setAdded(added + 1)
        onChange(value)
      }}
    />
  )
}

interface OptionsProps {
  items: readonly Option[]
  /** Null when all matches are shown. */
  showMore: (() => void) | null
}

const Options = ({ items, showMore }: OptionsProps) => (
  <Virtualizer layout={ListLayout} layoutOptions={{ rowSize: ROW_SIZE_PX }}>
    <ListBox className={classes.list}>
      <Collection items={items}>
        {(option) => (
          <ListBoxItem id={option.value} className={menuClasses.item} textValue={option.label}>
            <bdi className={classes.label}>{option.label}</bdi>
          </ListBoxItem>
        )}
      </Collection>
      {showMore !== null && <ListBoxLoadMoreItem onLoadMore={showMore} />}
    </ListBox>
  </Virtualizer>
)

/**
 * Entered text and the options that contain it: all of them without a text, or with the text of the
 * value.
 */
const useMatches = (options: readonly Option[], value: string) => {
  const { contains } = useFilter({ sensitivity: 'base' })
  const index = options.findIndex((option) => option.value === value)
  const label = options[index]?.label ?? ''
  const [shown, setShown] = useState({ text: label, label, limit: OPTIONS_PER_PART })
  // Another value, or its option, which was not known before.
  if (shown.label !== label) setShown({ text: label, label, limit: OPTIONS_PER_PART })
  const { text, limit } = shown
  const setText = (entered: string) => setShown({ text: entered, label, limit: OPTIONS_PER_PART })
  const isEntered = text !== label && text !== ''
  const matches = useMemo(
    () => (isEntered ? options.filter((option) => contains(option.label, text)) : options),
    [isEntered, options, text, contains],
  )
  // The library finds the option of the value among the items.
  const count = isEntered ? limit : Math.max(limit, index + 1)
  const items = useMemo(() => matches.slice(0, count), [matches, count])
  return {
    text,
    setText,
    reset: () => setText(label),
    items,
    showMore:
      items.length < matches.length
        ? () => setShown({ text, label, limit: count + OPTIONS_PER_PART })
        : null,
  }
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
