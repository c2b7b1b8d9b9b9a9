/** Updates of an incident, newest first, with their corrections. */
import type { IncidentStatus } from '@status-page/contracts'
import { useState } from 'react'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { type State, StateMark } from '../kit/icon.tsx'
import { MessageView } from '../kit/message-view.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { DeleteUpdateDialog, EditUpdateDialog } from './correction-dialogs.tsx'
import classes from './incidents.module.css'
import type { IncidentDetail, PostedUpdate } from './queries.ts'

const statusStates: Record<IncidentStatus, State> = {
  investigating: 'down',
  identified: 'part',
  monitoring: 'work',
  resolved: 'ok',
}

export const TimelineCard = ({ incident }: { incident: IncidentDetail }) => {
  const { incident: texts } = useTexts()
  const { number } = useFormats()
  const updates = incident.updates ?? []
  const [correction, setCorrection] = useState<Correction | null>(null)
  return (
    <Card title={texts.updates} count={number(updates.length)}>
      <ol className={classes.timeline}>
        {updates.map((update) => (
          <TimelineEntry
            key={update.id}
            incident={incident}
            update={update}
            isOnly={updates.length === 1}
            onCorrect={(kind) => setCorrection({ kind, update })}
          />
        ))}
      </ol>
      {correction !== null && (
        <CorrectionDialog
          incident={incident}
          correction={correction}
          onClose={() => setCorrection(null)}
        />
      )}
    </Card>
  )
}

interface Correction {
  kind: 'edit' | 'delete'
  update: PostedUpdate
}

interface CorrectionDialogProps {
  incident: IncidentDetail
  correction: Correction
  onClose(): void
}

/** The dialog remains when another user deletes the update, so that the text is not lost. */
const CorrectionDialog = ({ incident, correction, onClose }: CorrectionDialogProps) => {
  const { kind, update } = correction
  const present = incident.updates?.find(({ id }) => id === update.id) ?? update
  const Dialog = kind === 'edit' ? EditUpdateDialog : DeleteUpdateDialog
  return <Dialog incident={incident} update={present} onClose={onClose} />
}

interface TimelineEntryProps {
  incident: IncidentDetail
  update: PostedUpdate
  /** The only update cannot be deleted. */
  isOnly: boolean
  onCorrect(kind: Correction['kind']): void
}

const TimelineEntry = ({ incident, update, isOnly, onCorrect }: TimelineEntryProps) => {
  const { incident: texts, ...names } = useTexts()
  const { fill, time } = useFormats()
  const { can } = useSession()
  const { status, message, displayAt, createdAt, updatedAt } = update
  return (
    <li className={classes.entry}>
      <StateMark state={statusStates[status]} />
      <div className={classes.entryText}>
        <p className={classes.entryHead}>
          <strong>{names.incidents[status]}</strong>
          <span className={classes.fact}>
            <time dateTime={displayAt}>{time(displayAt)}</time>
            {updatedAt !== createdAt && ` · ${fill(texts.edited, { time: time(updatedAt) })}`}
          </span>
        </p>
        {message === '' ? (
          <p className={classes.fact}>{texts.noMessage}</p>
        ) : (
          <MessageView text={message} />
        )}
        <SetStatuses incident={incident} update={update} />
        {can('INCIDENTS_UPDATE') && <Corrections canDelete={!isOnly} onCorrect={onCorrect} />}
      </div>
    </li>
  )
}

const SetStatuses = ({ incident, update }: Pick<TimelineEntryProps, 'incident' | 'update'>) => {
  const { components: names } = useTexts()
  const nameOf = (id: string) => incident.components.find((one) => one.id === id)?.name
  const shown = Object.entries(update.componentStatuses).flatMap(([id, status]) => {
    const name = nameOf(id)
    return name === undefined ? [] : [{ id, name, status }]
  })
  if (shown.length === 0) return null
  return (
    <ul className={classes.statuses}>
      {shown.map(({ id, name, status }) => (
        <li key={id}>
          <bdi>{name}</bdi>: {names[status]}
        </li>
      ))}
    </ul>
  )
}

interface CorrectionsProps extends Pick<TimelineEntryProps, 'onCorrect'> {
  canDelete: boolean
}

const Corrections = ({ canDelete, onCorrect }: CorrectionsProps) => {
  const { incident: texts } = useTexts()
  const { can } = useSession()
  return (
    <div className={classes.corrections}>
      <Button emphasis="quiet" onPress={() => onCorrect('edit')}>
        {texts.editUpdate}
      </Button>
      {canDelete && can('INCIDENTS_DELETE') && (
        <Button emphasis="quiet" onPress={() => onCorrect('delete')}>
          {texts.deleteUpdate}
        </Button>
      )}
    </div>
  )
}
