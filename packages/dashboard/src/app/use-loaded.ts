/** Components that the frame shows on demand, and whose modules are loaded after the first view. */
import { type ComponentType, useEffect, useState } from 'react'
import { firstViewShown } from './first-view.ts'

interface LoadOptions {
  isNeeded: boolean
  /** Whether it is also loaded before it is needed, so that it works without a network. */
  isLoadedAhead: boolean
}

/**
 * Returns null until the component is loaded. When that has failed, the component is loaded again
 * as soon as it is needed. `load` is a constant.
 */
export const useLoaded = <Props>(
  load: () => Promise<ComponentType<Props>>,
  { isNeeded, isLoadedAhead }: LoadOptions,
): ComponentType<Props> | null => {
  const [loaded, setLoaded] = useState<ComponentType<Props> | null>(null)
  useEffect(() => {
    if (loaded !== null || !(isNeeded || isLoadedAhead)) return
    const start = isNeeded ? Promise.resolve() : firstViewShown
    start.then(load).then(
      (component) => setLoaded(() => component),
      () => undefined,
    )
  }, [loaded, isNeeded, isLoadedAhead, load])
  return loaded
}
