/** Problem of a submitted form, from the error of the JSON operation behind it. Pure. */
import { AppError, type Issue } from '@status-page/contracts'
import type { MarkupValue } from '@status-page/html'
import type { FormInput } from './form-inputs.ts'
import type { AccountVisitor } from './visitor.ts'

export interface FormRefusal {
  status: number
  /** Message above the form. */
  alert: string
  /** Messages of invalid fields; null for the message of the field's rule. */
  fields: ReadonlyMap<string, MarkupValue>
  headers: Record<string, string>
}

/** Returns the problem that the form shows; null for an error that is none of the form's. */
export const formRefusalOf = (
  error: unknown,
  { locale, texts }: AccountVisitor,
  inputs: readonly FormInput[],
): FormRefusal | null => {
  if (!(error instanceof AppError)) return null
  const { status, headers } = error
  const problem = (alert: string, fields: FormRefusal['fields'] = new Map()) => ({
    status,
    headers: retryHeader(headers),
    alert,
    fields,
  })
  const { problems } = texts
  const names = new Set(inputs.map(({ name }) => name))
  switch (error.code) {
    case 'VALIDATION_ERROR': {
      const invalid = issuesOf(error).filter(({ field }) => names.has(field))
      return invalid.length === 0
        ? null
        : problem(problems.fields, new Map(invalid.map(({ field }) => [field, null])))
    }
    case 'UNAUTHORIZED':
      return names.has('code')
        ? problem(problems.wrongCode, new Map([['code', problems.wrongCode]]))
        : problem(problems.wrongLogin)
    case 'CONFLICT':
      return names.has('email')
        ? problem(problems.fields, new Map([['email', problems.knownAddress]]))
        : null
    case 'RATE_LIMIT_EXCEEDED':
      return problem(problems.tooMany.replace('{}', retryTime(error, locale)))
    case 'SERVICE_UNAVAILABLE':
      return problem(problems.unavailable)
    default:
      return null
  }
}

const retryHeader = (headers: Readonly<Record<string, string>>): Record<string, string> => {
  const after = headers['retry-after']
  return after === undefined ? {} : { 'retry-after': after }
}

export const issuesOf = ({ details }: AppError): Issue[] =>
  ((details as { issues?: Issue[] } | undefined)?.issues ?? []) as Issue[]

const MINUTE_SECONDS = 60

/** Time until the next attempt, in whole seconds or minutes. */
export const retryTime = ({ headers }: Pick<AppError, 'headers'>, locale: string): string => {
  const seconds = Math.max(1, Number(headers['retry-after'] ?? 1))
  const parts =
    seconds < MINUTE_SECONDS ? { seconds } : { minutes: Math.ceil(seconds / MINUTE_SECONDS) }
  return new Intl.DurationFormat(locale, { style: 'long' }).format(parts)
}
