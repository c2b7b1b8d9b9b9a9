/** Status page of a vendor that a SERVICE component follows. */
import { upstreamModes } from '../api/contract.ts'
import { type FieldErrors, rootFieldOf } from '../api/field-errors.ts'
import { TextField } from '../kit/field.tsx'
import { Select } from '../kit/select.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { ComponentDraft } from './draft.ts'
import classes from './editor.module.css'
import type { EditorProps } from './editor-props.ts'

const MAX_URL_LENGTH = 2_048
const MAX_NAME_LENGTH = 200

export const UpstreamFields = ({ draft, errors, isReadOnly, onChange }: EditorProps) => {
  const { vendor: texts } = useTexts()
  const { upstream } = draft
  const change = (changed: Partial<ComponentDraft['upstream']>) =>
    onChange({ ...draft, upstream: { ...upstream, ...changed } })
  return (
    <>
      <TextField
        label={texts.url}
        hint={texts.urlHint}
        error={upstreamErrorOf(errors, 'url')}
        value={upstream.url}
        onChange={(url) => change({ url })}
        isReadOnly={isReadOnly}
        maxLength={MAX_URL_LENGTH}
        inputMode="url"
        spellCheck="false"
      />
      {upstream.url !== '' && (
        <>
          <TextField
            label={texts.component}
            hint={texts.componentHint}
            error={upstreamErrorOf(errors, 'component')}
            value={upstream.component}
            onChange={(component) => change({ component })}
            isReadOnly={isReadOnly}
            maxLength={MAX_NAME_LENGTH}
            spellCheck="false"
          />
          <Select
            label={texts.mode}
            options={upstreamModes.map((mode) => ({ value: mode, label: texts.modes[mode] }))}
            value={upstream.mode}
            error={upstreamErrorOf(errors, 'mode')}
            isDisabled={isReadOnly}
            onChange={(mode) => change({ mode })}
          />
          <p className={classes.quiet}>{texts.modeHints[upstream.mode]}</p>
        </>
      )}
    </>
  )
}

/** Error of one field of the upstream; those of the whole are shown at its address. */
const upstreamErrorOf = (errors: FieldErrors, field: string): string | undefined =>
  errors[`upstream.${field}`] ??
  (field === 'url'
    ? Object.entries(errors).find(
        ([name]) => rootFieldOf(name) === 'upstream' && !/\.(?:component|mode)$/.test(name),
      )?.[1]
    : undefined)
