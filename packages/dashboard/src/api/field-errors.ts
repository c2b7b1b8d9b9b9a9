/** Error replies at the fields of a form. */
import { ApiError } from '@status-page/client'

/** Messages by the name of the field. */
export type FieldErrors = Readonly<Record<string, string>>

/** Message of the service, which begins with the name of a field or with a verb. */
export const sentenceOf = (message: string): string =>
  message.charAt(0).toUpperCase() + message.slice(1)

/**
 * Field errors of a refused request; empty for other errors. A reply `duplicate` names no field:
 * it is shown at the field whose value must be unique.
 */
export const fieldErrorsOf = (error: unknown, uniqueField?: string): FieldErrors => {
  if (!(error instanceof ApiError)) return {}
  const { reason } = error.details as { reason?: string }
  if (reason === 'duplicate' && uniqueField !== undefined)
    return { [uniqueField]: sentenceOf(error.message) }
  const issues = error.issues.map(({ field = '', message }) => [
    field,
    sentenceOf(message ?? error.message),
  ])
  return Object.fromEntries(issues)
}

/** Name of the form's field that an error concerns, such as `conditions[0].target`. */
export const rootFieldOf = (field: string): string => field.split(/[.[]/, 1)[0] ?? field

/** First error of a field or of a part of it. */
export const errorOf = (errors: FieldErrors, field: string): string | undefined =>
  Object.entries(errors).find(([name]) => rootFieldOf(name) === field)?.[1]
