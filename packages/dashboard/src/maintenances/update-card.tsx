/** Form that posts an update of a maintenance. */
import type { MaintenanceStatus } from '@status-page/contracts'
import { Form } from 'react-aria-components'
import { ProblemNote } from '../app/problem-note.tsx'
import { useUnsent } from '../app/unsent.ts'
import { useFieldErrors } from '../app/use-field-errors.ts'
import layout from '../incidents/incidents.module.css'
import { UnsentActions } from '../incidents/unsent-actions.tsx'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { MessageEditor } from '../kit/message-editor.tsx'
import { Select } from '../kit/select.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { postUpdate, useMaintenanceChange } from './changes.ts'
import type { MaintenanceData } from './queries.ts'

const UNCHANGED = 'unchanged'
type StatusChoice = MaintenanceStatus | typeof UNCHANGED

interface UnsentUpdate {
  message: string
  status: StatusChoice
}

const empty: UnsentUpdate = { message: '', status: UNCHANGED }

/** Statuses that can follow; another end of a maintenance is its cancellation. */
const nextStatuses: Record<MaintenanceStatus, readonly MaintenanceStatus[]> = {
  scheduled: ['in_progress'],
  in_progress: ['verifying', 'completed'],
  verifying: ['in_progress', 'completed'],
  completed: [],
  cancelled: [],
}

const fields = ['message', 'status'] as const

export const UpdateCard = ({ maintenance }: { maintenance: MaintenanceData }) => {
  const { maintenance: texts } = useTexts()
  const [unsent, store] = useUnsent<UnsentUpdate>(`maintenance-update.${maintenance.id}`)
  const post = useMaintenanceChange(maintenance, {
    change: ({ message, status }: UnsentUpdate) =>
      postUpdate(maintenance, {
        ...(message.trim() !== '' && { message }),
        ...(status !== UNCHANGED && { status }),
      }),
    onChanged: () => store(null),
  })
  const isListed = (status: StatusChoice) =>
    status === UNCHANGED || nextStatuses[maintenance.status].includes(status)
  const stored = { ...empty, ...unsent }
  // Another user can have changed the status since the choice.
  const update = isListed(stored.status) ? stored : ({ ...stored, status: UNCHANGED } as const)
  const errors = useFieldErrors(post.error)
  const set = (patch: Partial<UnsentUpdate>) => {
    const next = { ...update, ...patch }
    store(next.message === '' && next.status === UNCHANGED ? null : next)
  }
  return (
    <Card title={texts.update.title}>
      <Form
        className={layout.form}
        onSubmit={(event) => {
          event.preventDefault()
          if (unsent !== null && !post.isPending) post.mutate(update)
        }}
      >
        <div className={layout.fields} inert={post.isPending}>
          <StatusField maintenance={maintenance} value={update.status} onChange={set} />
          <MessageEditor
            label={texts.form.message}
            error={errors.message}
            value={update.message}
            onChange={(message) => set({ message })}
            rows={4}
          />
        </div>
        <div className={layout.actions}>
          <Button type="submit" emphasis="primary" isDisabled={unsent === null || post.isPending}>
            {texts.update.post}
          </Button>
          {unsent !== null && !post.isPending && <UnsentActions onDiscard={() => store(null)} />}
        </div>
        <ProblemNote error={post.error} fieldErrors={errors} fields={fields} />
      </Form>
    </Card>
  )
}

interface StatusFieldProps {
  maintenance: MaintenanceData
  value: StatusChoice
  onChange(patch: Partial<UnsentUpdate>): void
}

const StatusField = ({ maintenance: { status }, value, onChange }: StatusFieldProps) => {
  const { maintenance: texts, maintenances: names } = useTexts()
  const { fill } = useFormats()
  const unchanged = fill(texts.update.unchanged, { status: names[status] })
  const options = nextStatuses[status].map((next) => ({ value: next, label: names[next] }))
  return (
    <Select<StatusChoice>
      label={texts.facts.status}
      options={[{ value: UNCHANGED, label: unchanged }, ...options]}
      value={value}
      onChange={(next) => onChange({ status: next })}
    />
  )
}
