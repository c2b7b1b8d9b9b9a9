/** Retries once after a deadlock or a serialization failure; such a transaction was rolled back. */
import { AppError } from '@status-page/contracts'
import { isRetryable } from './failure.ts'

export const withOneRetry = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError && isRetryable(error.cause))) throw error
    return await work()
  }
}
