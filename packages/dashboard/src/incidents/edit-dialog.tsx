/** Dialog that corrects an incident: title, impact, times and components. */
import { Form } from 'react-aria-components'
import { api } from '../api/client.ts'
import { impacts } from '../api/contract.ts'
import type { FieldErrors } from '../api/field-errors.ts'
import { type MergedForm, useMergedForm } from '../app/merged-form.ts'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { CheckboxList } from '../kit/checkbox-list.tsx'
import { DateTimeField } from '../kit/date-time-field.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { TextField } from '../kit/field.tsx'
import { Select } from '../kit/select.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { DialogActions } from './dialog-actions.tsx'
import { FieldConflicts } from './field-conflicts.tsx'
import classes from './incidents.module.css'
import { useKnownComponents } from './known-components.ts'
import { useIncidentWrite } from './merged-write.ts'
import type { IncidentDetail } from './queries.ts'

interface IncidentFields {
  title: string
  impact: IncidentDetail['impact']
  startedAt: string
  /** Null for an open incident. */
  resolvedAt: string | null
  componentIds: string[]
}

const fieldsOf = (incident: IncidentDetail): IncidentFields => {
  const { title, impact, startedAt, resolvedAt, components } = incident
  return { title, impact, startedAt, resolvedAt, componentIds: components.map(({ id }) => id) }
}

interface EditDialogProps {
  incident: IncidentDetail
  onClose(): void
}

export const EditDialog = ({ incident, onClose }: EditDialogProps) => {
  const { incident: texts } = useTexts()
  const form = useMergedForm(`incident.${incident.id}`, fieldsOf(incident))
  const names = useKnownComponents(incident)
  const save = useIncidentWrite({
    incident,
    form,
    valuesOf: fieldsOf,
    onSaved: onClose,
    write: ({ changes: { resolvedAt, ...changes }, headers }) => {
      const params = { path: { id: incident.id }, header: headers }
      const body = { ...changes, ...(resolvedAt && { resolvedAt }) }
      return api.PATCH('/api/v1/incidents/{id}', { params, body })
    },
  })
  const { textOf, labels } = useFieldTexts(names)
  const errors = useFieldErrors(save.error, { labels })
  return (
    <Dialog title={texts.edit} isOpen onClose={onClose}>
      <Form
        className={classes.fields}
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <FieldConflicts form={form} labelOf={(field) => labels[field]} textOf={textOf} />
        <IncidentFieldInputs form={form} errors={errors} />
        <ComponentChoice form={form} names={names} />
        <DialogActions form={form} save={save} fields={Object.keys(labels)} onClose={onClose} />
      </Form>
    </Dialog>
  )
}

type IncidentForm = MergedForm<IncidentFields>

const IncidentFieldInputs = ({ form, errors }: { form: IncidentForm; errors: FieldErrors }) => {
  const { incident: texts, impacts: impactNames } = useTexts()
  const { values, set } = form
  const options = impacts.map((value) => ({ value, label: impactNames[value] }))
  return (
    <>
      <TextField
        label={texts.name}
        error={errors.title}
        value={values.title}
        onChange={(title) => set({ title })}
        maxLength={255}
        isRequired
      />
      <Select
        label={texts.impact}
        options={options}
        value={values.impact}
        onChange={(impact) => set({ impact })}
      />
      <DateTimeField
        label={texts.start}
        error={errors.startedAt}
        value={values.startedAt}
        onChange={(startedAt) => startedAt !== null && set({ startedAt })}
        isRequired
      />
      {values.resolvedAt !== null && (
        <DateTimeField
          label={texts.end}
          error={errors.resolvedAt}
          value={values.resolvedAt}
          onChange={(resolvedAt) => resolvedAt !== null && set({ resolvedAt })}
          isRequired
        />
      )}
    </>
  )
}

interface ComponentChoiceProps {
  form: IncidentForm
  names: ReadonlyMap<string, string>
}

const ComponentChoice = ({ form, names }: ComponentChoiceProps) => {
  const { incident: texts } = useTexts()
  if (names.size === 0) return null
  return (
    <CheckboxList
      label={texts.components}
      options={[...names].map(([value, label]) => ({ value, label }))}
      value={form.values.componentIds}
      onChange={(componentIds) => form.set({ componentIds })}
    />
  )
}

const useFieldTexts = (components: ReadonlyMap<string, string>) => {
  const { incident: texts, impacts } = useTexts()
  const { facts, time } = useFormats()
  const labels: Record<keyof IncidentFields, string> = {
    title: texts.name,
    impact: texts.impact,
    startedAt: texts.start,
    resolvedAt: texts.end,
    componentIds: texts.components,
  }
  const textOf = (field: keyof IncidentFields, value: string | string[] | null): string => {
    if (Array.isArray(value)) return facts(value.map((id) => components.get(id) ?? id))
    if (value === null) return ''
    if (field === 'impact') return impacts[value as IncidentFields['impact']]
    return field === 'title' ? value : time(value)
  }
  return { labels, textOf }
}
