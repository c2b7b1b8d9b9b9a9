/** Text fields with label, hint and error. */
import type { ReactNode } from 'react'
import {
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
  FieldError,
  Input,
  Label,
  Text,
  TextArea,
} from 'react-aria-components'
import classes from './field.module.css'

interface FieldProps extends Omit<AriaTextFieldProps, 'children'> {
  label: string
  isLabelHidden?: boolean
  hint?: ReactNode
  /** Message of the server; the field counts as invalid. */
  error?: string
  placeholder?: string
}

interface TextFieldProps extends FieldProps {
  /** Fixed text before the value, such as the start of an address. */
  prefix?: ReactNode
}

/** A direction is that of the value, and not of the label. */
export const TextField = ({ prefix, placeholder, dir, ...props }: TextFieldProps) => (
  <Field {...props}>
    {prefix === undefined ? (
      <Input className={classes.input} placeholder={placeholder} dir={dir} />
    ) : (
      <span className={classes.group}>
        <span className={classes.prefix} aria-hidden="true">
          {prefix}
        </span>
        <Input className={classes.grouped} placeholder={placeholder} />
      </span>
    )}
  </Field>
)

interface TextAreaFieldProps extends FieldProps {
  rows?: number
}

export const TextAreaField = ({ rows = 4, placeholder, dir, ...props }: TextAreaFieldProps) => (
  <Field {...props}>
    <TextArea className={classes.input} rows={rows} placeholder={placeholder} dir={dir} />
  </Field>
)

const Field = ({
  label,
  isLabelHidden = false,
  hint,
  error,
  children,
  ...props
}: FieldProps & { children: ReactNode }) => (
  <AriaTextField
    {...props}
    className={classes.field}
    isInvalid={error !== undefined || props.isInvalid}
    validationBehavior="aria"
  >
    <Label className={isLabelHidden ? 'visually-hidden' : classes.label}>{label}</Label>
    {hint !== undefined && (
      <Text slot="description" className={classes.hint}>
        {hint}
      </Text>
    )}
    {children}
    <FieldError className={classes.error}>{error}</FieldError>
  </AriaTextField>
)
