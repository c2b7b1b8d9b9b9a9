/** Dialogs of the actions of a maintenance. */
import { type ReactNode, useState } from 'react'
import { Form } from 'react-aria-components'
import { ProblemNote } from '../app/problem-note.tsx'
import { useUnsent } from '../app/unsent.ts'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { Button } from '../kit/button.tsx'
import { Checkbox } from '../kit/checkbox.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { MessageEditor } from '../kit/message-editor.tsx'
import { ZonedTimeField } from '../kit/zoned-time-field.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import {
  type Cancellation,
  cancelWithReason,
  extendUntil,
  postUpdate,
  useMaintenanceChange,
} from './changes.ts'
import { browserTimeZone } from './draft.ts'
import classes from './maintenances.module.css'
import type { MaintenanceData } from './queries.ts'

interface ActionDialogProps {
  maintenance: MaintenanceData
  onClose(): void
}

interface StatusDialogProps extends ActionDialogProps {
  status: 'in_progress' | 'verifying' | 'completed'
}

/** Change of the status, with an optional message. */
export const StatusDialog = ({ maintenance, status, onClose }: StatusDialogProps) => {
  const { maintenance: texts } = useTexts()
  const [stored, store] = useUnsent<{ message: string }>(`maintenance-${status}.${maintenance.id}`)
  const { message } = stored ?? { message: '' }
  const change = useMaintenanceChange(maintenance, {
    change: () => postUpdate(maintenance, { status, ...(message.trim() !== '' && { message }) }),
    onChanged: () => {
      store(null)
      onClose()
    },
  })
  const errors = useFieldErrors(change.error)
  return (
    <ActionForm
      title={texts.actions[status]}
      change={change}
      onClose={onClose}
      fields={['message']}
    >
      <p>{texts.actionHints[status]}</p>
      <MessageEditor
        label={texts.form.message}
        error={errors.message}
        value={message}
        onChange={(text) => store(text === '' ? null : { message: text })}
        rows={3}
      />
    </ActionForm>
  )
}

const extensionMinutes = [30, 60, 120] as const
const MINUTE_MS = 60_000

export const ExtendDialog = ({ maintenance, onClose }: ActionDialogProps) => {
  const { maintenance: texts } = useTexts()
  const { plural } = useFormats()
  const timeZone = maintenance.recurrence?.timezone ?? browserTimeZone
  const [end, setEnd] = useState(maintenance.scheduledUntil)
  const change = useMaintenanceChange(maintenance, {
    change: () => extendUntil(maintenance, end),
    onChanged: onClose,
  })
  const errors = useFieldErrors(change.error, { labels: { scheduledFor: texts.form.start } })
  return (
    <ActionForm
      title={texts.actions.extend}
      change={change}
      onClose={onClose}
      fields={['scheduledUntil']}
      label={texts.form.save}
      isDisabled={end === maintenance.scheduledUntil}
    >
      <div className={classes.buttons}>
        {extensionMinutes.map((minutes) => (
          <Button
            key={minutes}
            emphasis="chip"
            onPress={() => setEnd(new Date(Date.parse(end) + minutes * MINUTE_MS).toISOString())}
          >
            {plural(texts.extendBy, minutes)}
          </Button>
        ))}
      </div>
      <ZonedTimeField
        label={texts.form.end}
        hint={timeZone}
        error={errors.scheduledUntil}
        timeZone={timeZone}
        value={end}
        onChange={setEnd}
      />
      {maintenance.recurrence !== null && <p className={classes.quiet}>{texts.form.seriesHint}</p>}
    </ActionForm>
  )
}

export const CancelDialog = ({ maintenance, onClose }: ActionDialogProps) => {
  const { maintenance: texts } = useTexts()
  const [stored, store] = useUnsent<Cancellation>(`maintenance-cancellation.${maintenance.id}`)
  const { notifySubscribers } = maintenance
  const input = stored ?? { reason: '', notifySubscribers }
  const change = useMaintenanceChange(maintenance, {
    change: () => cancelWithReason(maintenance, input),
    onChanged: () => {
      store(null)
      onClose()
    },
  })
  const errors = useFieldErrors(change.error)
  return (
    <ActionForm title={texts.actions.cancel} change={change} onClose={onClose} fields={['message']}>
      <p>{maintenance.recurrence === null ? texts.actionHints.cancel : texts.cancelSeries}</p>
      <MessageEditor
        label={texts.reason}
        error={errors.message}
        value={input.reason}
        onChange={(reason) => store({ ...input, reason })}
        rows={3}
      />
      <Checkbox
        label={texts.form.flags.notifySubscribers}
        hint={texts.form.flagHints.notifySubscribers}
        isSelected={input.notifySubscribers}
        onChange={(isSelected) => store({ ...input, notifySubscribers: isSelected })}
      />
    </ActionForm>
  )
}

interface ActionFormProps {
  title: string
  /** Name of the button that sends; default: the title. */
  label?: string
  change: { error: unknown; isPending: boolean; mutate(input: undefined): void }
  /** Fields that show their errors themselves. */
  fields: readonly string[]
  isDisabled?: boolean
  onClose(): void
  children: ReactNode
}

const ActionForm = (props: ActionFormProps) => {
  const { title, label = title, change, fields, isDisabled = false, onClose, children } = props
  const errors = useFieldErrors(change.error)
  const { maintenance: texts, actions } = useTexts()
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <Form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault()
          if (!change.isPending) change.mutate(undefined)
        }}
      >
        {children}
        <div className={classes.buttons}>
          <Button type="submit" emphasis="primary" isDisabled={change.isPending || isDisabled}>
            {change.isPending ? actions.saving : label}
          </Button>
          <Button emphasis="quiet" onPress={onClose}>
            {texts.back}
          </Button>
        </div>
        <ProblemNote error={change.error} fieldErrors={errors} fields={fields} />
      </Form>
    </Dialog>
  )
}
