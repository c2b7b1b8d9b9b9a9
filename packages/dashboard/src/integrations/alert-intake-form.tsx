/** Templates, delay and routes of an alert intake. */
import { useMutation } from '@tanstack/react-query'
import { Form } from 'react-aria-components'
import { type MergedForm, useMergedForm } from '../app/merged-form.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { FieldConflicts } from '../incidents/field-conflicts.tsx'
import { Fields } from '../kit/arrangement.tsx'
import { Checkbox } from '../kit/checkbox.tsx'
import { TextAreaField, TextField } from '../kit/field.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { AlertRoutes } from './alert-routes.tsx'
import { type AlertValues, alertValuesOf } from './alert-values.ts'
import type { AlertIntakeData } from './queries.ts'
import { SaveActions } from './save-actions.tsx'

const names = ['components', 'impact', 'integration', 'summary', 'description', 'labels.<name>']
/** Isolated, from left to right: brackets are mirrored in the other direction. */
const placeholders = names.map((name) => `\u2066{{${name}}}\u2069`).join(' ')
const shownFields = ['titleTemplate', 'messageTemplate', 'publishAfterMinutes']

interface AlertIntakeFormProps {
  intake: AlertIntakeData
  isReadOnly: boolean
  write(values: AlertValues): Promise<unknown>
}

export const AlertIntakeForm = ({ intake, isReadOnly, write }: AlertIntakeFormProps) => {
  const { alerts: texts } = useTexts().integrations
  const form = useMergedForm(`alert-intake.${intake.integrationId}`, alertValuesOf(intake))
  const save = useMutation({
    mutationFn: () => write(form.values),
    onMutate: () => form.values,
    onSuccess: (_reply, _input, written) => form.saved(written),
  })
  const errors = useFieldErrors(save.error)
  return (
    <Form
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      <Fields>
        <FieldConflicts
          form={form}
          labelOf={(field) => texts[field]}
          textOf={(_field, value) =>
            typeof value === 'object' ? JSON.stringify(value) : `${value}`
          }
        />
        <TemplateFields form={form} errors={errors} isReadOnly={isReadOnly} />
        <AlertRoutes
          routes={form.values.routes}
          isReadOnly={isReadOnly}
          onChange={(routes) => form.set({ routes })}
        />
        <SaveActions
          save={save}
          label={texts.save}
          isReadOnly={isReadOnly}
          isDirty={form.isDirty}
          hasConflict={form.conflicts.length > 0}
          onDiscard={form.discard}
        />
        <ProblemNote error={save.error} fieldErrors={errors} fields={shownFields} />
      </Fields>
    </Form>
  )
}

interface TemplateFieldsProps {
  form: MergedForm<AlertValues>
  errors: Readonly<Record<string, string>>
  isReadOnly: boolean
}

const TemplateFields = ({ form: { values, set }, errors, isReadOnly }: TemplateFieldsProps) => {
  const { alerts: texts } = useTexts().integrations
  const { fill } = useFormats()
  return (
    <>
      <TextField
        label={texts.titleTemplate}
        hint={fill(texts.placeholders, { placeholders })}
        error={errors.titleTemplate}
        value={values.titleTemplate}
        onChange={(titleTemplate) => set({ titleTemplate })}
        isReadOnly={isReadOnly}
      />
      <TextAreaField
        label={texts.messageTemplate}
        error={errors.messageTemplate}
        value={values.messageTemplate}
        onChange={(messageTemplate) => set({ messageTemplate })}
        maxLength={2_000}
        isReadOnly={isReadOnly}
      />
      <TextField
        label={texts.publishAfterMinutes}
        hint={texts.publishHint}
        error={errors.publishAfterMinutes}
        value={values.publishAfterMinutes}
        onChange={(publishAfterMinutes) => set({ publishAfterMinutes })}
        inputMode="numeric"
        isReadOnly={isReadOnly}
      />
      <Checkbox
        label={texts.autoResolve}
        isSelected={values.autoResolve}
        onChange={(autoResolve) => set({ autoResolve })}
        isDisabled={isReadOnly}
      />
    </>
  )
}
