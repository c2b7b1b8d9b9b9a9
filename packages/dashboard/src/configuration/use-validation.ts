/** Problems of a document, read once the user pauses typing. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useDelayed } from '../composer/use-delayed.ts'
import { type DocumentProblem, problemsOf, refusalProblemsOf } from './problems.ts'
import { validationQuery } from './queries.ts'

const PAUSE_MS = 400

export interface Validation {
  problems: readonly DocumentProblem[]
  errorCount: number
  /** Whether the problems are those of an earlier text. */
  isChecking: boolean
  /** Error of the request that is not about the document. */
  error: unknown
}

export const useValidation = (text: string): Validation => {
  const document = useDelayed(text, PAUSE_MS)
  const { data, error, isFetching } = useQuery(validationQuery(document))
  return useMemo(() => {
    const refused = refusalProblemsOf(error)
    const problems = error === null && data !== undefined ? problemsOf(data) : refused
    return {
      problems,
      errorCount: problems.filter(({ isWarning }) => !isWarning).length,
      isChecking: isFetching || document !== text,
      error: refused.length > 0 ? null : error,
    }
  }, [data, error, isFetching, document, text])
}
