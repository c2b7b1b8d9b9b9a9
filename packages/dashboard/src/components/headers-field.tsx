/** Request headers. A stored secret is shown as set and never as a value. */
import { REDACTED } from '../api/redacted.ts'
import { Button } from '../kit/button.tsx'
import { TextField } from '../kit/field.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { type HeaderDraft, newKey } from './draft.ts'
import classes from './editor.module.css'
import { RemoveButton } from './remove-button.tsx'

const MAX_HEADERS = 50

interface HeadersFieldProps {
  headers: readonly HeaderDraft[]
  error: string | undefined
  isReadOnly: boolean
  onChange(headers: HeaderDraft[]): void
}

export const HeadersField = ({ headers, error, isReadOnly, onChange }: HeadersFieldProps) => {
  const { editor } = useTexts().componentScreens
  return (
    <fieldset className={classes.group}>
      <legend>{editor.headers}</legend>
      <p className={classes.quiet}>{editor.secretHint}</p>
      {headers.map((header, index) => (
        <HeaderRow
          key={header.key}
          header={header}
          number={index + 1}
          isReadOnly={isReadOnly}
          onChange={(next) => onChange(headers.map((one) => (one.key === next.key ? next : one)))}
          onRemove={() => onChange(headers.filter(({ key }) => key !== header.key))}
        />
      ))}
      {error !== undefined && (
        <p className={classes.error} role="alert">
          {error}
        </p>
      )}
      {!isReadOnly && headers.length < MAX_HEADERS && (
        <p>
          <Button onPress={() => onChange([...headers, { key: newKey(), name: '', value: '' }])}>
            {editor.addHeader}
          </Button>
        </p>
      )}
    </fieldset>
  )
}

interface HeaderRowProps {
  header: HeaderDraft
  number: number
  isReadOnly: boolean
  onChange(header: HeaderDraft): void
  onRemove(): void
}

const HeaderRow = ({ header, number, isReadOnly, onChange, onRemove }: HeaderRowProps) => {
  const { editor } = useTexts().componentScreens
  const { fill } = useFormats()
  const isSecret = header.value === REDACTED
  return (
    <div className={classes.pair}>
      <TextField
        label={fill(editor.headerName, { number })}
        isLabelHidden
        value={header.name}
        onChange={(name) => onChange({ ...header, name })}
        isReadOnly={isReadOnly}
        spellCheck="false"
      />
      <TextField
        label={fill(editor.headerValue, { number })}
        isLabelHidden
        placeholder={isSecret ? editor.secretSet : undefined}
        value={isSecret ? '' : header.value}
        onChange={(value) => onChange({ ...header, value })}
        isReadOnly={isReadOnly}
        autoComplete="off"
        spellCheck="false"
      />
      {!isReadOnly && (
        <RemoveButton name={fill(editor.headerName, { number })} onPress={onRemove} />
      )}
    </div>
  )
}
