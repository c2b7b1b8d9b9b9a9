/** Differences of two documents, line by line. */
import { useMemo } from 'react'
import { ScrollRegion } from '../kit/scroll-region.tsx'
import { useTexts } from '../texts/texts.tsx'
import classes from './configuration.module.css'
import { type DiffLine, lineDiff } from './line-diff.ts'

interface DiffViewProps {
  label: string
  before: string
  after: string
}

const marks: Record<DiffLine['kind'], string> = { same: ' ', removed: '−', added: '+' }
const elements = { same: 'span', removed: 'del', added: 'ins' } as const

export const DiffView = ({ label, before, after }: DiffViewProps) => {
  const { configuration: texts } = useTexts()
  const groups = useMemo(() => lineDiff(before, after), [before, after])
  if (groups === null) return <p className={classes.content}>{texts.diff.tooLarge}</p>
  if (groups.length === 0) return <p className={classes.content}>{texts.diff.same}</p>
  return (
    <ScrollRegion label={label}>
      <div className={classes.diff} dir="ltr">
        {groups.map((lines) => (
          <div key={`${lines[0]?.kind} ${lines[0]?.number}`} className={classes.diffGroup}>
            {lines.map((line) => (
              <Line key={`${line.kind} ${line.number}`} line={line} />
            ))}
          </div>
        ))}
      </div>
    </ScrollRegion>
  )
}

const Line = ({ line: { kind, number, text } }: { line: DiffLine }) => {
  const Element = elements[kind]
  return (
    <div className={`${classes.diffLine} ${classes[kind]}`}>
      <span className={classes.diffNumber} aria-hidden="true">
        {number}
      </span>
      <span aria-hidden="true">{marks[kind]}</span>
      <Element>{text}</Element>
    </div>
  )
}
