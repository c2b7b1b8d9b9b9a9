/** Display of the first view. Modules that are loaded ahead wait for it and do not delay it. */
import type { QueryClient } from '@tanstack/react-query'

let markShown: () => void = () => {}

/** Resolves once the first view is displayed with its data. */
export const firstViewShown = new Promise<void>((resolve) => {
  markShown = resolve
})

/** A view is rendered; it is displayed with its data once no read is in progress. */
export const onViewRendered = (queryClient: QueryClient): void => {
  const check = () => {
    if (queryClient.isFetching() > 0) return
    stop()
    markShown()
  }
  const stop = queryClient.getQueryCache().subscribe(check)
  // The reads of the view begin in this turn of the event loop.
  setTimeout(check)
}
