/** Errors of a request at the fields of its form. */
import { type FieldErrors, fieldErrorsOf } from '../api/field-errors.ts'
import { useTexts } from '../texts/texts.tsx'

export const useFieldErrors = (error: unknown, uniqueField?: string): FieldErrors =>
  fieldErrorsOf(error, useTexts().problems, uniqueField)
