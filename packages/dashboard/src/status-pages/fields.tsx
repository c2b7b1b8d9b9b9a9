/** Fields of one setting of a status page, with its name and its error. */
import { ImageUploadField } from '../first-run/image-upload-field.tsx'
import { Checkbox } from '../kit/checkbox.tsx'
import { TextField } from '../kit/field.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { DesignerProps } from './designer-props.ts'
import { type BooleanFieldName, errorOf, type TextFieldName } from './page-draft.ts'

interface DraftTextFieldProps extends DesignerProps {
  field: TextFieldName
  hint?: string
  maxLength?: number
  isRequired?: boolean
  inputMode?: 'numeric' | 'url'
}

export const DraftTextField = (props: DraftTextFieldProps) => {
  const { values, errors, set, field, inputMode, ...rest } = props
  const { fields } = useTexts().statusPages
  return (
    <TextField
      {...rest}
      inputMode={inputMode}
      dir={inputMode === undefined ? undefined : 'ltr'}
      label={fields[field]}
      error={errorOf(errors, field)}
      value={values[field]}
      onChange={(value) => set({ [field]: value })}
    />
  )
}

interface DraftCheckboxProps extends DesignerProps {
  field: BooleanFieldName
  hint?: string
}

export const DraftCheckbox = ({ values, set, field, hint }: DraftCheckboxProps) => {
  const { fields } = useTexts().statusPages
  return (
    <Checkbox
      label={fields[field]}
      hint={hint}
      isSelected={values[field]}
      onChange={(value) => set({ [field]: value })}
    />
  )
}

interface DraftImageFieldProps extends DesignerProps {
  field: 'logoUrl' | 'logoDarkUrl' | 'faviconUrl'
  hint: string
}

export const DraftImageField = ({ values, errors, set, field, hint }: DraftImageFieldProps) => {
  const { fields } = useTexts().statusPages
  return (
    <ImageUploadField
      label={fields[field]}
      hint={hint}
      error={errorOf(errors, field)}
      value={values[field]}
      onChange={(url) => set({ [field]: url })}
    />
  )
}
