/** Query, interval and thresholds of a metric query. */
import { useMutation } from '@tanstack/react-query'
import { Form } from 'react-aria-components'
import { metricAggregations } from '../api/contract.ts'
import type { FieldErrors } from '../api/field-errors.ts'
import { type MergedForm, useMergedForm } from '../app/merged-form.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { FieldConflicts } from '../incidents/field-conflicts.tsx'
import { Fields, Hint, InlineFields } from '../kit/arrangement.tsx'
import { Checkbox } from '../kit/checkbox.tsx'
import { TextAreaField, TextField } from '../kit/field.tsx'
import { Select } from '../kit/select.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { MetricValues } from './metric-values.ts'
import { SaveActions } from './save-actions.tsx'

const MAX_QUERY_LENGTH = 4_000
const shownFields = [
  'name',
  'query',
  'unit',
  'decimalPlaces',
  'pollingInterval',
  'warningThreshold',
  'criticalThreshold',
] as const

interface MetricFormProps {
  /** Name of the stored values. */
  name: string
  current: MetricValues
  isReadOnly: boolean
  write(values: MetricValues): Promise<unknown>
}

export const MetricForm = ({ name, current, isReadOnly, write }: MetricFormProps) => {
  const { integrations: texts } = useTexts()
  const form = useMergedForm(name, current)
  const save = useMutation({
    mutationFn: () => write(form.values),
    onMutate: () => form.values,
    onSuccess: (_reply, _input, written) => form.saved(written),
  })
  const errors = useFieldErrors(save.error, { uniqueField: 'name' })
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
          labelOf={(field) => texts.metrics.fields[field]}
          textOf={(_field, value) => String(value)}
        />
        <MetricFields form={form} errors={errors} isReadOnly={isReadOnly} />
        <SaveActions
          save={save}
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

interface MetricFieldsProps {
  form: MergedForm<MetricValues>
  errors: FieldErrors
  isReadOnly: boolean
}

const MetricFields = ({ form, errors, isReadOnly }: MetricFieldsProps) => {
  const { values, set } = form
  const { integrations, componentScreens } = useTexts()
  const { metrics: texts } = integrations
  const textOf = (name: (typeof shownFields)[number]) => ({
    label: texts.fields[name],
    error: errors[name],
    value: values[name],
    onChange: (value: string) => set({ [name]: value }),
    isReadOnly,
  })
  return (
    <>
      <TextField {...textOf('name')} maxLength={100} isRequired />
      <TextAreaField
        {...textOf('query')}
        hint={texts.queryHint}
        rows={3}
        maxLength={MAX_QUERY_LENGTH}
        spellCheck="false"
        isRequired
      />
      <InlineFields>
        <Select
          label={texts.fields.aggregation}
          options={metricAggregations.map((value) => ({ value, label: texts.aggregations[value] }))}
          value={values.aggregation}
          isDisabled={isReadOnly}
          onChange={(aggregation) => set({ aggregation })}
        />
        <TextField {...textOf('pollingInterval')} inputMode="numeric" />
      </InlineFields>
      <InlineFields>
        <TextField {...textOf('unit')} maxLength={20} />
        <TextField {...textOf('decimalPlaces')} inputMode="numeric" />
      </InlineFields>
      <InlineFields>
        <TextField {...textOf('warningThreshold')} inputMode="decimal" />
        <TextField {...textOf('criticalThreshold')} inputMode="decimal" />
      </InlineFields>
      <Hint>{componentScreens.editor.thresholdHint}</Hint>
      <MetricChoices form={form} isReadOnly={isReadOnly} />
    </>
  )
}

const MetricChoices = ({ form, isReadOnly }: Omit<MetricFieldsProps, 'errors'>) => {
  const { values, set } = form
  const { fields } = useTexts().integrations.metrics
  return (
    <>
      <Checkbox
        label={fields.showOnStatusPage}
        isSelected={values.showOnStatusPage}
        onChange={(showOnStatusPage) => set({ showOnStatusPage })}
        isDisabled={isReadOnly}
      />
      <Checkbox
        label={fields.isEnabled}
        isSelected={values.isEnabled}
        onChange={(isEnabled) => set({ isEnabled })}
        isDisabled={isReadOnly}
      />
    </>
  )
}
