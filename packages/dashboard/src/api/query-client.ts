/** Cache of the reads of the API. Errors of the session concern the whole application. */
import { ApiError } from '@status-page/client'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { meQuery } from './queries.ts'

const STALE_AFTER_MS = 5_000
const MAX_RETRIES = 2
const UNAUTHORIZED = 401
const FORBIDDEN = 403

export interface SessionErrors {
  onSessionEnd(): void
  /** The organization requires a second factor, which the user has to set up first. */
  onEnrolmentRequired(): void
}

export const createQueryClient = (errors: SessionErrors): QueryClient => {
  const onError = (error: unknown) => {
    if (!(error instanceof ApiError)) return
    const { reason } = error.details as { reason?: string }
    if (error.status === UNAUTHORIZED) errors.onSessionEnd()
    // An account with a second factor gets this reason when it disables it.
    const me = queryClient.getQueryData(meQuery.queryKey)
    const hasFactor = me?.user?.twoFactorEnabled ?? false
    if (reason === 'two_factor_enrolment_required' && !hasFactor) errors.onEnrolmentRequired()
    // A right was removed: the views hide its actions once the session is read again.
    else if (error.status === FORBIDDEN) void queryClient.invalidateQueries({ queryKey: ['me'] })
  }
  const queryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: STALE_AFTER_MS,
        // An error reply is final; the client has repeated those that the service deferred.
        retry: (failures, error) => !(error instanceof ApiError) && failures < MAX_RETRIES,
      },
    },
  })
  return queryClient
}
