/**
 * Invalidation of cached reads after events. The reads of a burst of events are repeated once, and
 * those of a hidden tab when it is shown again.
 */
import type { ApiError } from '@status-page/client'
import type { Query, QueryClient, QueryKey } from '@tanstack/react-query'

/** Time in which events are collected after the first one. */
const BATCH_MS = 100
/** Minimum time between two repetitions of the same reads. */
const INTERVAL_MS = 1_000

export interface Invalidator {
  add(keys: readonly QueryKey[]): void
  stop(): void
}

export const createInvalidator = (
  queryClient: Pick<QueryClient, 'invalidateQueries'>,
  isHidden: () => boolean = () => document.hidden,
): Invalidator => {
  const pending = new Map<string, QueryKey>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let flushedAtMs = Number.NEGATIVE_INFINITY
  const flush = () => {
    timer = undefined
    flushedAtMs = Date.now()
    const keys = [...pending.values()]
    pending.clear()
    // A read that is invalid is repeated when the tab is shown: the focus repeats stale reads.
    const refetchType = isHidden() ? 'none' : 'active'
    for (const queryKey of keys)
      void queryClient.invalidateQueries({ queryKey, refetchType, predicate: isReadable })
  }
  return {
    add(keys) {
      for (const key of keys) pending.set(JSON.stringify(key), key)
      const delayMs = Math.max(BATCH_MS, flushedAtMs + INTERVAL_MS - Date.now())
      timer ??= setTimeout(flush, delayMs)
    },
    stop: () => clearTimeout(timer),
  }
}

const NOT_FOUND = 404

/** A view without its resource would display that it loads, each time the resource is read again. */
const isReadable = ({ state: { data, error } }: Query): boolean =>
  data !== undefined || (error as Partial<ApiError> | null)?.status !== NOT_FOUND
