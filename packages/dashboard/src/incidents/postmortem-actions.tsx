/** Actions of the editor of postmortems: save, publish and unpublish. */
import { useState } from 'react'
import { Button } from '../kit/button.tsx'
import { Checkbox } from '../kit/checkbox.tsx'
import { useTexts } from '../texts/texts.tsx'
import classes from './incidents.module.css'
import type { IncidentDetail } from './queries.ts'
import { UnsentActions } from './unsent-actions.tsx'

export interface PostmortemPublication {
  isPublished: boolean
  notifySubscribers: boolean
}

interface PublicationActionsProps {
  incident: IncidentDetail
  isDirty: boolean
  /** The fields cannot be saved: the summary is empty, or others have changed a field. */
  isBlocked: boolean
  isPending: boolean
  onSave(publication: PostmortemPublication): void
  onDiscard(): void
}

export const PublicationActions = (props: PublicationActionsProps) => {
  const { incident, isDirty, isBlocked, isPending, onSave, onDiscard } = props
  const { postmortem: texts, actions } = useTexts()
  const [notifySubscribers, setNotify] = useState(false)
  const isPublished = incident.postmortem?.isPublished ?? false
  const isResolved = incident.status === 'resolved'
  const isDisabled = isBlocked || isPending
  const save = (publish: boolean) =>
    onSave({ isPublished: publish, notifySubscribers: publish && notifySubscribers })
  const saveText = isPublished ? texts.savePublished : texts.saveDraft
  return (
    <>
      {isResolved ? (
        <Checkbox label={texts.notify} isSelected={notifySubscribers} onChange={setNotify} />
      ) : (
        <p className={classes.fact}>{texts.publishHint}</p>
      )}
      <div className={classes.actions}>
        <Button
          emphasis={isPublished ? 'primary' : 'secondary'}
          onPress={() => save(isPublished)}
          isDisabled={isDisabled || !isDirty}
        >
          {isPending ? actions.saving : saveText}
        </Button>
        {isPublished && (
          <Button onPress={() => save(false)} isDisabled={isDisabled}>
            {texts.unpublish}
          </Button>
        )}
        {!isPublished && isResolved && (
          <Button emphasis="primary" onPress={() => save(true)} isDisabled={isDisabled}>
            {texts.publish}
          </Button>
        )}
        {isDirty && !isPending && <UnsentActions onDiscard={onDiscard} />}
      </div>
    </>
  )
}
