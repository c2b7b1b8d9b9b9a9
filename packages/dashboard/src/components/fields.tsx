/** Fields of one setting of a component, with its name and its error. */
import { errorOf } from '../api/field-errors.ts'
import { Checkbox } from '../kit/checkbox.tsx'
import { TextAreaField, TextField } from '../kit/field.tsx'
import type { ComponentDraft } from './draft.ts'
import classes from './editor.module.css'
import type { EditorProps } from './editor-props.ts'
import { useFieldLabels } from './use-field-labels.ts'

type FieldOf<Value> = {
  [Field in keyof ComponentDraft]: ComponentDraft[Field] extends Value ? Field : never
}[keyof ComponentDraft]

/** Default of a number, shown while the field is empty. */
const defaults: Partial<Record<FieldOf<string>, string>> = {
  checkInterval: '60',
  timeout: '10000',
  failureThreshold: '3',
  recoveryThreshold: '2',
  pollingInterval: '60',
  startGraceSeconds: '60',
}

interface TextFieldOfProps extends EditorProps {
  name: FieldOf<string>
  hint?: string
  maxLength?: number
  isRequired?: boolean
  inputMode?: 'numeric' | 'decimal' | 'url'
}

export const TextFieldOf = (props: TextFieldOfProps) => {
  const { draft, errors, isReadOnly, onChange, name, hint, ...field } = props
  const labels = useFieldLabels()
  return (
    <TextField
      {...field}
      label={labels[name]}
      hint={hint}
      error={errorOf(errors, name)}
      placeholder={defaults[name]}
      value={draft[name]}
      onChange={(value) => onChange({ ...draft, [name]: value })}
      isReadOnly={isReadOnly}
      spellCheck={name === 'name' ? undefined : 'false'}
    />
  )
}

export const TextAreaOf = (
  props: EditorProps & { name: FieldOf<string>; rows: number; maxLength: number },
) => {
  const { draft, errors, isReadOnly, onChange, name, rows, maxLength } = props
  const labels = useFieldLabels()
  return (
    <TextAreaField
      label={labels[name]}
      error={errorOf(errors, name)}
      rows={rows}
      maxLength={maxLength}
      value={draft[name]}
      onChange={(value) => onChange({ ...draft, [name]: value })}
      isReadOnly={isReadOnly}
    />
  )
}

/** Short fields next to each other. */
export const NumberFields = ({
  names,
  inputMode = 'numeric',
  ...props
}: EditorProps & { names: readonly FieldOf<string>[]; inputMode?: 'numeric' | 'decimal' }) => (
  <div className={classes.short}>
    {names.map((name) => (
      <TextFieldOf key={name} {...props} name={name} inputMode={inputMode} />
    ))}
  </div>
)

interface BooleanFieldProps extends EditorProps {
  name: FieldOf<boolean>
  hint?: string
}

export const BooleanField = (props: BooleanFieldProps) => {
  const { draft, isReadOnly, onChange, name, hint } = props
  const labels = useFieldLabels()
  return (
    <Checkbox
      label={labels[name]}
      hint={hint}
      isSelected={draft[name]}
      onChange={(value) => onChange({ ...draft, [name]: value })}
      isDisabled={isReadOnly}
    />
  )
}
