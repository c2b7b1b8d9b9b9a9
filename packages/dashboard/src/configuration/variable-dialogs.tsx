/** Dialogs that replace the value of a variable and delete a variable. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './configuration.module.css'
import { VariableForm } from './variable-form.tsx'

interface VariableDialogProps {
  name: string
  onClose(): void
}

export const ReplaceValueDialog = ({ name, onClose }: VariableDialogProps) => {
  const { configuration: texts } = useTexts()
  const { fill } = useFormats()
  const title = fill(texts.variables.replaceOf, { name })
  return (
    <Dialog title={title} isOpen onClose={onClose} closeLabel={texts.cancel}>
      <VariableForm name={name} onSaved={onClose} />
    </Dialog>
  )
}

export const DeleteVariableDialog = ({ name, onClose }: VariableDialogProps) => {
  const { configuration: texts } = useTexts()
  const { fill } = useFormats()
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: () => api.DELETE('/api/v1/config/variables/{name}', { params: { path: { name } } }),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: ['configuration'] })
      onClose()
    },
  })
  return (
    <Dialog title={fill(texts.variables.deleteOf, { name })} isOpen onClose={onClose}>
      <p>{texts.variables.deleteHint}</p>
      <div className={classes.dialogActions}>
        <Button onPress={onClose}>{texts.cancel}</Button>
        <Button emphasis="danger" onPress={() => remove.mutate()} isDisabled={remove.isPending}>
          {texts.variables.delete}
        </Button>
      </div>
      <ProblemNote error={remove.error} />
    </Dialog>
  )
}
