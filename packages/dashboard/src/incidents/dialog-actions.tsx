/** End of a dialog with a merged form: its failure, save and cancel. */
import type { MergedForm } from '../app/merged-form.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { Button } from '../kit/button.tsx'
import { useTexts } from '../texts/texts.tsx'
import classes from './incidents.module.css'

interface DialogActionsProps<Values> {
  form: MergedForm<Values>
  save: { error: unknown; isPending: boolean }
  /** Fields that show their errors themselves. */
  fields: readonly string[]
  onClose(): void
}

export const DialogActions = <Values extends object>(props: DialogActionsProps<Values>) => {
  const { form, save, fields, onClose } = props
  const errors = useFieldErrors(save.error)
  const { incident: texts, actions } = useTexts()
  const hasConflict = form.conflicts.length > 0
  return (
    <>
      <div className={classes.actions}>
        <Button
          type="submit"
          emphasis="primary"
          isDisabled={hasConflict || save.isPending || Object.keys(form.changes).length === 0}
        >
          {save.isPending ? actions.saving : texts.save}
        </Button>
        <Button
          emphasis="quiet"
          onPress={() => {
            form.discard()
            onClose()
          }}
        >
          {texts.cancel}
        </Button>
      </div>
      <ProblemNote error={save.error} fieldErrors={errors} fields={fields} />
    </>
  )
}
