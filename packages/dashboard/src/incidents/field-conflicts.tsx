/** Fields of a form that others have changed as well: both values, of which the user chooses one. */
import type { MergedForm } from '../app/merged-form.ts'
import { Button } from '../kit/button.tsx'
import { Note } from '../kit/note.tsx'
import { useTexts } from '../texts/texts.tsx'
import classes from './incidents.module.css'

interface FieldConflictsProps<Values> {
  form: MergedForm<Values>
  labelOf(field: keyof Values): string
  textOf(field: keyof Values, value: Values[keyof Values]): string
}

export const FieldConflicts = <Values extends object>(props: FieldConflictsProps<Values>) => {
  const { form, labelOf, textOf } = props
  const { conflict } = useTexts().incident
  if (form.conflicts.length === 0) return null
  return (
    <Note state="part" role="alert">
      <h2 className={classes.conflictTitle}>{conflict.fields}</h2>
      <p>{conflict.fieldsHint}</p>
      {form.conflicts.map(({ field, theirs, mine }) => (
        <section key={String(field)} aria-label={labelOf(field)} className={classes.conflict}>
          <h3 className={classes.conflictSide}>{labelOf(field)}</h3>
          <div className={classes.pair}>
            <ConflictSide
              title={conflict.theirs}
              text={textOf(field, theirs)}
              choice={conflict.useTheirs}
              onChoose={() => form.resolve(field, 'theirs')}
            />
            <ConflictSide
              title={conflict.mine}
              text={textOf(field, mine)}
              choice={conflict.useMine}
              onChoose={() => form.resolve(field, 'mine')}
            />
          </div>
        </section>
      ))}
    </Note>
  )
}

interface ConflictSideProps {
  title: string
  text: string
  choice: string
  onChoose(): void
}

const ConflictSide = ({ title, text, choice, onChoose }: ConflictSideProps) => {
  const { conflict } = useTexts().incident
  return (
    <div className={classes.side}>
      <p className={classes.fact}>{title}</p>
      <blockquote className={classes.quote} dir="auto">
        {text === '' ? conflict.empty : text}
      </blockquote>
      <Button onPress={onChoose}>{choice}</Button>
    </div>
  )
}
