/** Dialogs that edit or delete a posted update. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Form } from 'react-aria-components'
import { api } from '../api/client.ts'
import type { FieldErrors } from '../api/field-errors.ts'
import { type MergedForm, useMergedForm } from '../app/merged-form.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { Button } from '../kit/button.tsx'
import { DateTimeField } from '../kit/date-time-field.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { MessageEditor } from '../kit/message-editor.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { DialogActions } from './dialog-actions.tsx'
import { FieldConflicts } from './field-conflicts.tsx'
import classes from './incidents.module.css'
import { useIncidentWrite } from './merged-write.ts'
import { type IncidentDetail, incidentQuery, type PostedUpdate } from './queries.ts'

interface CorrectionDialogProps {
  incident: IncidentDetail
  update: PostedUpdate
  onClose(): void
}

type UpdateFields = Pick<PostedUpdate, 'message' | 'displayAt'>

const fieldsOf = ({ message, displayAt }: PostedUpdate): UpdateFields => ({ message, displayAt })

export const EditUpdateDialog = ({ incident, update, onClose }: CorrectionDialogProps) => {
  const { incident: texts } = useTexts()
  const { time } = useFormats()
  const form = useMergedForm(`posted-update.${update.id}`, fieldsOf(update))
  const save = useIncidentWrite({
    incident,
    form,
    valuesOf: ({ updates = [] }) => {
      const present = updates.find(({ id }) => id === update.id)
      return present === undefined ? null : fieldsOf(present)
    },
    onSaved: onClose,
    write: ({ changes, headers }) => {
      const path = { id: incident.id, updateId: update.id }
      return api.PATCH('/api/v1/incidents/{id}/updates/{updateId}', {
        params: { path, header: headers },
        body: changes,
      })
    },
  })
  const labels = { message: texts.form.message, displayAt: texts.shownAt }
  const errors = useFieldErrors(save.error)
  return (
    <Dialog title={texts.editUpdate} isOpen onClose={onClose}>
      <Form
        className={classes.fields}
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <FieldConflicts
          form={form}
          labelOf={(field) => labels[field]}
          textOf={(field, value) => (field === 'message' ? value : time(value))}
        />
        <UpdateInputs form={form} labels={labels} errors={errors} />
        <DialogActions form={form} save={save} fields={Object.keys(labels)} onClose={onClose} />
      </Form>
    </Dialog>
  )
}

interface UpdateInputsProps {
  form: MergedForm<UpdateFields>
  labels: Record<keyof UpdateFields, string>
  errors: FieldErrors
}

const UpdateInputs = ({ form, labels, errors }: UpdateInputsProps) => (
  <>
    <MessageEditor
      label={labels.message}
      error={errors.message}
      value={form.values.message}
      onChange={(message) => form.set({ message })}
      rows={6}
    />
    <DateTimeField
      label={labels.displayAt}
      error={errors.displayAt}
      value={form.values.displayAt}
      onChange={(displayAt) => displayAt !== null && form.set({ displayAt })}
      isRequired
    />
  </>
)

/** A deletion refers to no version: it removes the update, whatever its text has become. */
export const DeleteUpdateDialog = ({ incident, update, onClose }: CorrectionDialogProps) => {
  const { incident: texts } = useTexts()
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: () => {
      const path = { id: incident.id, updateId: update.id }
      return api.DELETE('/api/v1/incidents/{id}/updates/{updateId}', { params: { path } })
    },
    onSuccess: onClose,
    onSettled: () => queryClient.invalidateQueries(incidentQuery(incident.id)),
  })
  return (
    <Dialog title={texts.deleteUpdate} isOpen onClose={onClose}>
      <p>{texts.deleteUpdateHint}</p>
      <blockquote className={classes.quote} dir="auto">
        {update.message === '' ? texts.noMessage : update.message}
      </blockquote>
      <div className={classes.actions}>
        <Button emphasis="danger" onPress={() => remove.mutate()} isDisabled={remove.isPending}>
          {texts.delete}
        </Button>
        <Button emphasis="quiet" onPress={onClose}>
          {texts.cancel}
        </Button>
      </div>
      <ProblemNote error={remove.error} />
    </Dialog>
  )
}
