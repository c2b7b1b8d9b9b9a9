/** Changes of an apply or of its dry run: resources that it creates, changes and deletes. */
import { type ReactNode, useMemo } from 'react'
import { type State, StateMark } from '../kit/icon.tsx'
import { Note } from '../kit/note.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './configuration.module.css'
import { type FieldReader, fieldReader } from './document-values.ts'
import type { ApplyResult } from './queries.ts'

interface PlanViewProps {
  result: ApplyResult
  /** Documents before and after the change; null if the earlier one is unknown. */
  before: string | null
  after: string
}

export const PlanView = ({ result, before, after }: PlanViewProps) => {
  const { configuration: texts } = useTexts()
  const { fill, number } = useFormats()
  const { created, updated, deleted, unchanged, warnings } = result
  const old = useMemo(() => (before === null ? null : fieldReader(before)), [before])
  const next = useMemo(() => fieldReader(after), [after])
  const isEmpty = created.length + updated.length + deleted.length === 0
  return (
    <div className={classes.plan}>
      {isEmpty && <p>{texts.plan.nothing}</p>}
      <Changes
        title={fill(texts.plan.created, { count: number(created.length) })}
        state="ok"
        entries={created}
      />
      <Changes
        title={fill(texts.plan.updated, { count: number(updated.length) })}
        state="slow"
        entries={updated}
      >
        {(entry) => <FieldChanges entry={entry} old={old} next={next} />}
      </Changes>
      <Changes
        title={fill(texts.plan.deleted, { count: number(deleted.length) })}
        state="down"
        entries={deleted}
      />
      <p className={classes.quiet}>{fill(texts.plan.unchanged, { count: number(unchanged) })}</p>
      {warnings.map((warning) => (
        <Note key={warning} state="part">
          {warning}
        </Note>
      ))}
    </div>
  )
}

type Entry = ApplyResult['created'][number]

interface ChangesProps<One extends Entry> {
  title: string
  state: State
  entries: readonly One[]
  children?(entry: One): ReactNode
}

const Changes = <One extends Entry>({ title, state, entries, children }: ChangesProps<One>) => {
  const { configuration: texts } = useTexts()
  if (entries.length === 0) return null
  return (
    <section>
      <h3 className={classes.planTitle}>{title}</h3>
      <ul className={classes.changes}>
        {entries.map((entry) => (
          <li key={`${entry.resourceType} ${entry.resourceName}`}>
            <StateMark state={state} />
            <div>
              <p>
                <strong>
                  <bdi>{entry.resourceName}</bdi>
                </strong>{' '}
                <span className={classes.quiet}>{texts.resources[entry.resourceType]}</span>
              </p>
              {children?.(entry)}
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

interface FieldChangesProps {
  entry: ApplyResult['updated'][number]
  old: FieldReader | null
  next: FieldReader
}

/** Old and new value of each changed field; secrets are references in both documents. */
const FieldChanges = ({ entry, old, next }: FieldChangesProps) => {
  const { configuration: texts, joins } = useTexts()
  return (
    <dl className={classes.fieldChanges}>
      {entry.fields.map((field) => (
        <div key={field} className={classes.fieldChange}>
          <dt>
            <code>{field}</code>
          </dt>
          <dd>
            {old !== null && (
              <>
                <del>
                  <span className="visually-hidden">{texts.plan.before} </span>
                  <bdi>{old({ ...entry, field }) ?? texts.plan.notSet}</bdi>
                </del>
                <span aria-hidden="true"> {joins.arrow} </span>
              </>
            )}
            <ins>
              <span className="visually-hidden">{texts.plan.after} </span>
              <bdi>{next({ ...entry, field }) ?? texts.plan.notSet}</bdi>
            </ins>
          </dd>
        </div>
      ))}
    </dl>
  )
}
