/** Request of a check. */
import { checkMethods } from '../api/contract.ts'
import { errorOf } from '../api/field-errors.ts'
import { Select } from '../kit/select.tsx'
import { addressForms, checkKindOf, hasField } from './check-kinds.ts'
import type { EditorProps } from './editor-props.ts'
import { TextAreaOf, TextFieldOf } from './fields.tsx'
import { HeadersField } from './headers-field.tsx'
import { useFieldLabels } from './use-field-labels.ts'

const methodsWithBody: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE']
const MAX_BODY_LENGTH = 65_536
const MAX_SENT_LENGTH = 1024

export const RequestFields = (props: EditorProps) => {
  const kind = checkKindOf(props.draft)
  const url = { name: 'url', maxLength: 2048, inputMode: 'url', hint: addressForms } as const
  return (
    <>
      <TextFieldOf {...props} {...url} isRequired />
      {kind === 'http' && <HttpFields {...props} />}
      {hasField(kind, 'send') && (
        <TextAreaOf {...props} name="send" rows={2} maxLength={MAX_SENT_LENGTH} />
      )}
    </>
  )
}

const HttpFields = (props: EditorProps) => {
  const { draft, errors, isReadOnly, onChange } = props
  const labels = useFieldLabels()
  const hasBody = methodsWithBody.includes(draft.method) || draft.body !== ''
  return (
    <>
      <Select
        label={labels.method}
        options={checkMethods.map((method) => ({ value: method, label: method }))}
        value={draft.method as (typeof checkMethods)[number]}
        error={errorOf(errors, 'method')}
        isDisabled={isReadOnly}
        onChange={(method) => onChange({ ...draft, method })}
      />
      {hasBody && <TextAreaOf {...props} name="body" rows={5} maxLength={MAX_BODY_LENGTH} />}
      <HeadersField
        headers={draft.headers}
        error={errorOf(errors, 'headers')}
        isReadOnly={isReadOnly}
        onChange={(headers) => onChange({ ...draft, headers })}
      />
    </>
  )
}
