/** Problems of a configuration document at their positions. */
import { ApiError, type Schemas } from '@status-page/client'
import { sentenceOf } from '../api/field-errors.ts'

export interface DocumentProblem {
  /** Start at 1. */
  line: number
  column: number
  message: string
  isWarning: boolean
}

/** Position with which the service ends a warning. */
const warningPosition = / \(line (\d+)\)$/

export const problemsOf = ({
  errors,
  warnings,
}: Schemas['ConfigValidation']): DocumentProblem[] => [
  ...errors.map(({ line, column, message }) => ({
    line,
    column,
    message: sentenceOf(message),
    isWarning: false,
  })),
  ...warnings.map((text) => ({
    line: Number(warningPosition.exec(text)?.[1] ?? 1),
    column: 1,
    message: sentenceOf(text.replace(warningPosition, '')),
    isWarning: true,
  })),
]

/** Problems of a document that the service refused: syntax errors, or those of an apply. */
export const refusalProblemsOf = (error: unknown): DocumentProblem[] => {
  if (!(error instanceof ApiError)) return []
  return error.issues.flatMap(({ line, column, message = error.message }) =>
    line === undefined
      ? []
      : [{ line, column: column ?? 1, message: sentenceOf(message), isWarning: false }],
  )
}
