/** Both sides of a conflict: the values of the user and the saved ones. */
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { useTexts } from '../texts/texts.tsx'
import { type ComponentDraft, type DraftField, draftOf, valuesOf } from './draft.ts'
import classes from './editor.module.css'
import { useFieldLabels } from './use-field-labels.ts'
import type { EditConflict } from './use-save.ts'

interface ConflictCardProps {
  conflict: EditConflict
  draft: ComponentDraft
  onKeep(): void
  onTake(): void
}

export const ConflictCard = ({ conflict, draft, onKeep, onTake }: ConflictCardProps) => {
  const { conflict: texts } = useTexts().componentScreens
  const labels = useFieldLabels()
  const { type } = conflict.current
  const yours = valuesOf(type, draft)
  const theirs = valuesOf(type, draftOf(conflict.current))
  return (
    <div role="alert">
      <Card title={texts.title}>
        <div className={classes.conflict}>
          <p>{texts.hint}</p>
          <table className={classes.conflictTable}>
            <thead>
              <tr>
                <th scope="col">{texts.field}</th>
                <th scope="col">{texts.yours}</th>
                <th scope="col">{texts.theirs}</th>
              </tr>
            </thead>
            <tbody>
              {conflict.fields.map((field: DraftField) => (
                <tr key={field}>
                  <th scope="row">{labels[field]}</th>
                  <td>
                    <ValueText value={yours[field]} />
                  </td>
                  <td>
                    <ValueText value={theirs[field]} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          <div className={classes.buttons}>
            <Button emphasis="primary" onPress={onKeep}>
              {texts.keepYours}
            </Button>
            <Button onPress={onTake}>{texts.takeTheirs}</Button>
          </div>
        </div>
      </Card>
    </div>
  )
}

const ValueText = ({ value }: { value: unknown }) => {
  const { conflict: texts } = useTexts().componentScreens
  if (value === null || value === '') return texts.empty
  if (typeof value === 'string') return <bdi>{value}</bdi>
  return <code dir="ltr">{JSON.stringify(value)}</code>
}
