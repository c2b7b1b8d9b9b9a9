/** Changes of others next to the text of the user, before an update is posted over them. */
import { Button } from '../kit/button.tsx'
import { MessageView } from '../kit/message-view.tsx'
import { Note } from '../kit/note.tsx'
import { fill } from '../texts/plural.ts'
import { useFormats, useTexts } from '../texts/texts.tsx'
import type { IncidentChange } from './incident-changes.ts'
import classes from './incidents.module.css'

interface UpdateConflictProps {
  changes: readonly IncidentChange[]
  onContinue(): void
}

export const UpdateConflict = ({ changes, onContinue }: UpdateConflictProps) => {
  const { conflict } = useTexts().incident
  return (
    <Note state="part" role="alert">
      <h3 className={classes.conflictTitle}>{conflict.title}</h3>
      <h4 className={classes.conflictSide}>{conflict.theirs}</h4>
      <ul className={classes.conflictList}>
        {changes.map((change) => (
          <li key={keyOf(change)}>
            <ChangeText change={change} />
          </li>
        ))}
      </ul>
      <p>{conflict.hint}</p>
      <p>
        <Button onPress={onContinue}>{conflict.continue}</Button>
      </p>
    </Note>
  )
}

const keyOf = (change: IncidentChange): string => {
  if (change.kind === 'posted' || change.kind === 'edited') return change.update.id
  return change.kind === 'deleted' ? change.id : change.kind
}

const ChangeText = ({ change }: { change: IncidentChange }) => {
  const { incident: texts, ...names } = useTexts()
  const { time } = useFormats()
  const { conflict } = texts
  const now = (name: string, value: string) => <p>{fill(conflict.now, { name, value })}</p>
  switch (change.kind) {
    case 'title':
      return now(texts.name, change.title)
    case 'impact':
      return now(texts.impact, names.impacts[change.impact])
    case 'status':
      return now(texts.status, names.incidents[change.status])
    case 'deleted':
      return <p>{conflict.deleted}</p>
    default: {
      const { status, updatedAt, message } = change.update
      return (
        <>
          <p>
            {conflict[change.kind]} · {names.incidents[status]} · {time(updatedAt)}
          </p>
          <blockquote className={classes.quote}>
            {message === '' ? texts.noMessage : <MessageView text={message} />}
          </blockquote>
        </>
      )
    }
  }
}
