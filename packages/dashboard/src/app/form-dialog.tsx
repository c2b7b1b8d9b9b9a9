/** Dialog with a form; the caller closes it once the write has succeeded. */
import type { ReactNode } from 'react'
import { Form } from 'react-aria-components'
import type { FieldErrors } from '../api/field-errors.ts'
import { Actions, Fields } from '../kit/arrangement.tsx'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { useTexts } from '../texts/texts.tsx'
import { ProblemNote } from './problem-note.tsx'

interface FormDialogProps {
  title: string
  children: ReactNode
  submit: string
  emphasis?: 'primary' | 'danger'
  isIncomplete?: boolean
  action: { mutate(): void; isPending: boolean; error: unknown }
  fieldErrors?: FieldErrors
  /** Fields that show their errors themselves. */
  fields?: readonly string[]
  onClose(): void
}

export const FormDialog = (props: FormDialogProps) => {
  const { title, children, submit, emphasis = 'primary', isIncomplete = false } = props
  const { action, fieldErrors, fields, onClose } = props
  const { actions, dialogs } = useTexts()
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <Form
        onSubmit={(event) => {
          event.preventDefault()
          if (!isIncomplete) action.mutate()
        }}
      >
        <Fields>
          {children}
          <Actions>
            <Button type="submit" emphasis={emphasis} isDisabled={isIncomplete || action.isPending}>
              {action.isPending ? actions.saving : submit}
            </Button>
            <Button emphasis="quiet" onPress={onClose}>
              {dialogs.cancel}
            </Button>
          </Actions>
          <ProblemNote error={action.error} fieldErrors={fieldErrors} fields={fields} />
        </Fields>
      </Form>
    </Dialog>
  )
}
