/**
 * Failed action, as a note next to its button. Errors of shown fields are not repeated, nor is the
 * end of the session, which has a dialog of its own.
 */
import { ApiError, ConnectionError } from '@status-page/client'
import {
  type FieldErrors,
  type FormFields,
  fieldErrorsOf,
  sentenceOf,
} from '../api/field-errors.ts'
import { Note } from '../kit/note.tsx'
import { fill } from '../texts/plural.ts'
import { type Texts, useTexts } from '../texts/texts.tsx'

const UNAUTHORIZED = 401

interface ProblemNoteProps {
  error: unknown
  fieldErrors?: FieldErrors
  /** Fields of the form, which show their errors themselves. */
  fields?: readonly string[]
  labels?: FormFields['labels']
}

export const ProblemNote = (props: ProblemNoteProps) => {
  const { error, fieldErrors = {}, fields = [], labels } = props
  const texts = useTexts()
  if (error === null || error === undefined) return null
  if (error instanceof ApiError && error.status === UNAUTHORIZED) return null
  const refused = Object.keys(fieldErrors)
  if (refused.length > 0 && refused.every((field) => fields.includes(field))) return null
  return (
    <Note state="down" role="alert">
      {problemText(error, texts, labels)}
    </Note>
  )
}

/** Text of the problem by its kind; the message of the service is the detail of the others. */
export const problemText = (
  error: unknown,
  { states, problems, joins }: Texts,
  labels: FormFields['labels'] = {},
): string => {
  if (error instanceof ConnectionError) return problems.unavailable
  if (!(error instanceof ApiError)) return problems.failed
  const { reason, retryAfter } = error.details as { reason?: string; retryAfter?: number }
  if (error.code === 'RATE_LIMIT_EXCEEDED')
    return fill(states.tooMany, { seconds: retryAfter ?? 1 })
  // A refusal with a reason is about this action, not about the role.
  if (error.code === 'FORBIDDEN' && reason === undefined) return states.noPermissionHint
  if (reason === 'version_mismatch') return states.conflict
  const text = codeTexts[error.code]
  if (text !== undefined) return problems[text]
  const [issue] = Object.entries(fieldErrorsOf(error, problems, { labels }))
  if (issue === undefined) return fill(problems.refused, { detail: sentenceOf(error.message) })
  const [field, problem] = issue
  return fill(joins.labelled, { label: labels[field] ?? field, value: problem })
}

const codeTexts: Partial<Record<ApiError['code'], Exclude<keyof Texts['problems'], 'keywords'>>> = {
  NOT_FOUND: 'gone',
  PAYLOAD_TOO_LARGE: 'bodyTooLarge',
  INTERNAL_ERROR: 'failed',
  UPSTREAM_ERROR: 'unavailable',
  SERVICE_UNAVAILABLE: 'unavailable',
  UPSTREAM_TIMEOUT: 'unavailable',
}
