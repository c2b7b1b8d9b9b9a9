/** Both sides of a conflict: the version that was published, above the present text. */
import { MessageView } from '../kit/message-view.tsx'
import { Note } from '../kit/note.tsx'
import { useTexts } from '../texts/texts.tsx'
import classes from './composer.module.css'
import type { PublishedIncident } from './draft.ts'
import { IncidentLink } from './incident-link.tsx'

export const ConflictNote = ({ published }: { published: PublishedIncident }) => {
  const { composer: texts } = useTexts()
  return (
    <Note state="part" role="alert">
      <p>
        <strong>{texts.conflict}</strong> {texts.conflictHint}
      </p>
      <section className={classes.published} aria-label={texts.publishedVersion}>
        <p>
          <IncidentLink id={published.id}>
            <bdi>{published.title}</bdi>
          </IncidentLink>
        </p>
        <MessageView text={published.message} />
      </section>
    </Note>
  )
}
