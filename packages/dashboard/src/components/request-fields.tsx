/** Request of a check. */
import { errorOf } from '../api/field-errors.ts'
import { Select } from '../kit/select.tsx'
import type { EditorProps } from './editor-props.ts'
import { TextAreaOf, TextFieldOf } from './fields.tsx'
import { useFieldLabels } from './use-field-labels.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
const methodsWithBody: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE']
const MAX_BODY_LENGTH = 65_536

export const RequestFields = (props: EditorProps) => {
  const { draft, errors, isReadOnly, onChange } = props
  const labels = useFieldLabels()
  const hasBody = methodsWithBody.includes(draft.method) || draft.body !== ''
  return (
    <>
      <TextFieldOf {...props} name="url" maxLength={2048} inputMode="url" isRequired />
      <Select
        label={labels.method}
        options={methods.map((method) => ({ value: method, label: method }))}
        value={draft.method as (typeof methods)[number]}
        error={errorOf(errors, 'method')}
        isDisabled={isReadOnly}
        onChange={(method) => onChange({ ...draft, method })}
      />
      {hasBody && <TextAreaOf {...props} name="body" rows={5} maxLength={MAX_BODY_LENGTH} />}
    </>
  )
}
