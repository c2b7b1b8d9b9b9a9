/** List in a card of the overview: its first entries and the number of further ones. */
import type { ReactNode } from 'react'
import { ProblemNote } from '../app/problem-note.tsx'
import { Card } from '../kit/card.tsx'
import { StateMark } from '../kit/icon.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './overview.module.css'

interface ListCardProps {
  title: string
  total: number
  shown: number
  aside?: ReactNode
  /** Failure of an action on one of the entries. */
  error?: unknown
  /** Text of the empty card; without it, an empty list is only named among the clear sections. */
  none?: string
  children: ReactNode
}

export const ListCard = ({ title, total, shown, aside, error, none, children }: ListCardProps) => {
  const { overview } = useTexts()
  const { number, plural } = useFormats()
  const problem = Boolean(error) && (
    <div className={classes.problem}>
      <ProblemNote error={error} />
    </div>
  )
  if (total === 0) {
    if (!problem && none === undefined) return null
    return (
      <Card title={title}>
        {problem}
        {none !== undefined && (
          <p className={classes.empty}>
            <StateMark state="ok" />
            {none}
          </p>
        )}
      </Card>
    )
  }
  return (
    <Card title={title} count={number(total)} aside={aside}>
      {problem}
      <ul>{children}</ul>
      {total > shown && <p className={classes.calm}>{plural(overview.more, total - shown)}</p>}
    </Card>
  )
}
