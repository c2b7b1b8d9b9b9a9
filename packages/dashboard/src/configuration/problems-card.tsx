/** Problems of the document with their positions; each is a button that leads to its line. */
import { ProblemNote } from '../app/problem-note.tsx'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { StateMark } from '../kit/icon.tsx'
import { Note } from '../kit/note.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './configuration.module.css'
import { type DocumentProblem, refusalProblemsOf } from './problems.ts'
import type { Validation } from './use-validation.ts'

/** Problems that the card lists; the first of a document usually explain the others. */
const MAX_PROBLEMS = 50

interface ProblemsCardProps {
  validation: Validation
  onShow(problem: DocumentProblem): void
}

export const ProblemsCard = ({ validation, onShow }: ProblemsCardProps) => {
  const { configuration: texts } = useTexts()
  const { fill, number } = useFormats()
  const { problems, error } = validation
  return (
    <Card title={texts.problems.title} count={number(problems.length)}>
      {problems.length === 0 && error === null && (
        <p className={classes.calm}>{texts.problems.none}</p>
      )}
      {problems.length > 0 && (
        <ul className={classes.problems}>
          {problems.slice(0, MAX_PROBLEMS).map((problem) => (
            <li key={`${problem.line} ${problem.column} ${problem.message}`}>
              <Button emphasis="quiet" onPress={() => onShow(problem)}>
                <StateMark state={problem.isWarning ? 'slow' : 'down'} />
                <span>
                  <span className={classes.position}>
                    {fill(texts.problems.position, { line: problem.line, column: problem.column })}
                  </span>{' '}
                  <bdi>{problem.message}</bdi>
                </span>
              </Button>
            </li>
          ))}
        </ul>
      )}
      {error !== null && (
        <div className={classes.content}>
          <ProblemNote error={error} />
        </div>
      )}
    </Card>
  )
}

/** Error of a plan or an apply: problems of the document, or another error. */
export const RefusalNote = ({ error }: { error: unknown }) => {
  const { configuration: texts } = useTexts()
  const { fill } = useFormats()
  const problems = refusalProblemsOf(error)
  if (problems.length === 0) return <ProblemNote error={error} />
  return (
    <Note state="down" role="alert">
      <ul>
        {problems.slice(0, MAX_PROBLEMS).map(({ line, column, message }) => (
          <li key={`${line} ${column} ${message}`}>
            {fill(texts.problems.position, { line, column })} <bdi>{message}</bdi>
          </li>
        ))}
      </ul>
    </Note>
  )
}
