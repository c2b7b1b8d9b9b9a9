/** Writes that refer to the version of a resource which others may have changed. */
import { ApiError } from '@status-page/client'

/** Value of `If-Match` for a version. */
export const ifMatch = (version: number): string => `"${version}"`

export const reasonOf = (error: unknown): string | undefined =>
  error instanceof ApiError ? (error.details as { reason?: string }).reason : undefined

export const isVersionMismatch = (error: unknown): boolean => reasonOf(error) === 'version_mismatch'
