/** Title, impact, status, next update and notification of the incident. */
import type { FieldErrors } from '../api/field-errors.ts'
import { Checkbox } from '../kit/checkbox.tsx'
import fieldClasses from '../kit/field.module.css'
import { TextField } from '../kit/field.tsx'
import { Segmented } from '../kit/segmented.tsx'
import { Select } from '../kit/select.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { nextUpdateChoices } from './composed-incident.ts'
import type { DraftProps } from './draft-props.ts'

const MAX_TITLE = 255

export const IncidentDetails = (props: DraftProps & { errors: FieldErrors }) => {
  const { draft, incident, onChange, errors } = props
  const { composer: texts, impacts, incidents } = useTexts()
  return (
    <>
      <TextField
        label={texts.title}
        hint={draft.title === null || draft.title === incident.title ? undefined : incident.title}
        error={errors.title}
        value={draft.title ?? incident.title}
        onChange={(title) => onChange({ title: title === '' ? null : title })}
        maxLength={MAX_TITLE}
      />
      <Select
        label={texts.impact}
        options={optionsOf(impacts)}
        value={incident.impact}
        error={errors.impact}
        onChange={(impact) => onChange({ impact })}
      />
      <Select
        label={texts.status}
        options={optionsOf(incidents)}
        value={draft.status}
        error={errors.status}
        onChange={(status) => onChange({ status })}
      />
      <NextUpdate {...props} />
      <Checkbox
        label={texts.notify}
        hint={texts.notifyHint}
        isSelected={draft.notifySubscribers}
        onChange={(notifySubscribers) => onChange({ notifySubscribers })}
      />
    </>
  )
}

const optionsOf = <Value extends string>(names: Record<Value, string>) =>
  (Object.keys(names) as Value[]).map((value) => ({ value, label: names[value] }))

const NONE = 'none'

const NextUpdate = ({ draft, onChange, errors }: DraftProps & { errors: FieldErrors }) => {
  const { composer: texts } = useTexts()
  const { fill, number } = useFormats()
  const minutes = nextUpdateChoices.map((count) => ({
    value: String(count),
    label: fill(texts.inMinutes, { count: number(count) }),
  }))
  return (
    <div className={fieldClasses.field}>
      <span className={fieldClasses.label} aria-hidden="true">
        {texts.nextUpdate}
      </span>
      <Segmented
        label={texts.nextUpdate}
        options={[...minutes, { value: NONE, label: texts.noPromise }]}
        value={draft.nextUpdateMinutes === null ? NONE : String(draft.nextUpdateMinutes)}
        onChange={(value) => onChange({ nextUpdateMinutes: value === NONE ? null : Number(value) })}
      />
      {errors.nextUpdateAt !== undefined && (
        <span className={fieldClasses.error}>{errors.nextUpdateAt}</span>
      )}
    </div>
  )
}
