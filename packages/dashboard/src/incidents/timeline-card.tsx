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
  return (
    <Card title={texts.updates} count={number(updates.length)}>
      <ol className={classes.timeline}>
        {updates.map((update) => (
          <TimelineEntry
            key={update.id}
            incident={incident}
            update={update}
            isOnly={updates.length === 1}
          />
        ))}
      </ol>
    </Card>
  )
}

interface TimelineEntryProps {
  incident: IncidentDetail
  update: PostedUpdate
  /** The only update cannot be deleted. */
  isOnly: boolean
}

const TimelineEntry = ({ incident, update, isOnly }: TimelineEntryProps) => {
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
        {can('INCIDENTS_UPDATE') && (
          <Corrections incident={incident} update={update} canDelete={!isOnly} />
        )}
      </div>
    </li>
  )
}

const SetStatuses = ({ incident, update }: Omit<TimelineEntryProps, 'isOnly'>) => {
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

interface CorrectionsProps extends Omit<TimelineEntryProps, 'isOnly'> {
  canDelete: boolean
}

const Corrections = ({ incident, update, canDelete }: CorrectionsProps) => {
  const { incident: texts } = useTexts()
  const { can } = useSession()
  const [dialog, setDialog] = useState<'edit' | 'delete' | null>(null)
  const close = () => setDialog(null)
  return (
    <div className={classes.corrections}>
      <Button emphasis="quiet" onPress={() => setDialog('edit')}>
        {texts.editUpdate}
      </Button>
      {canDelete && can('INCIDENTS_DELETE') && (
        <Button emphasis="quiet" onPress={() => setDialog('delete')}>
          {texts.deleteUpdate}
        </Button>
      )}
      {dialog === 'edit' && (
        <EditUpdateDialog incident={incident} update={update} onClose={close} />
      )}
      {dialog === 'delete' && (
        <DeleteUpdateDialog incident={incident} update={update} onClose={close} />
      )}
    </div>
  )
}
