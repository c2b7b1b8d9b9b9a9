/** Preview of a draft, rendered again once the user pauses. */
import { ApiError } from '@status-page/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { FieldErrors } from '../api/field-errors.ts'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { useDelayed } from '../composer/use-delayed.ts'
import { appearanceOf, type PageDraft } from './page-draft.ts'
import { previewQuery } from './queries.ts'

const DELAY_MS = 350
const BAD_REQUEST = 400

export interface Preview {
  html: string | undefined
  error: unknown
  /** The draft has values that the service refuses; the preview shows an earlier one. */
  isInvalid: boolean
  errors: FieldErrors
}

export const usePreview = (id: string, draft: PageDraft, isEnabled: boolean): Preview => {
  const body = useDelayed(JSON.stringify(appearanceOf(draft)), DELAY_MS)
  const { data, error } = useQuery({
    ...previewQuery(id, body),
    enabled: isEnabled,
    placeholderData: keepPreviousData,
  })
  const isInvalid = error instanceof ApiError && error.status === BAD_REQUEST
  return { html: data, error, isInvalid, errors: useFieldErrors(error) }
}
