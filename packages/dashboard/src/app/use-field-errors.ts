/** Errors of a request at the fields of its form. */
import { type FieldErrors, type FormFields, fieldErrorsOf } from '../api/field-errors.ts'
import { useTexts } from '../texts/texts.tsx'

export const useFieldErrors = (error: unknown, fields?: FormFields): FieldErrors =>
  fieldErrorsOf(error, useTexts().problems, fields)
