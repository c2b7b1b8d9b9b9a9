/** Components whose modules are loaded on demand, each once for all its uses. */
import { type ComponentType, useEffect, useState } from 'react'
import { firstViewShown } from '../app/first-view.ts'
import { loadModule } from './load-module.ts'

export interface LazyComponent<Props> {
  loaded: ComponentType<Props> | null
  load(): Promise<void>
}

export const lazyComponent = <Props>(
  load: () => Promise<ComponentType<Props>>,
): LazyComponent<Props> => {
  const lazy: LazyComponent<Props> = {
    loaded: null,
    async load() {
      lazy.loaded ??= await loadModule(load)
    },
  }
  return lazy
}

interface LoadOptions {
  isNeeded: boolean
  /** Whether it is also loaded before it is needed, so that it works without a network. */
  isLoadedAhead: boolean
}

export interface ComponentLoad<Props> {
  /** Null until the component is loaded. */
  Component: ComponentType<Props> | null
  /** Failure of the load of a component that is needed. */
  error: unknown
  retry(): void
}

/** Loads the component once it is needed, and again each time after a failure. */
export const useLoaded = <Props>(
  lazy: LazyComponent<Props>,
  { isNeeded, isLoadedAhead }: LoadOptions,
): ComponentLoad<Props> => {
  const [Component, setComponent] = useState(() => lazy.loaded)
  const [error, setError] = useState<unknown>(null)
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    if (Component !== null || !(isNeeded || isLoadedAhead)) return
    let isCurrent = true
    const start = isNeeded ? Promise.resolve() : firstViewShown
    start.then(lazy.load).then(
      () => setComponent(() => lazy.loaded),
      (failure: unknown) => {
        if (isCurrent && isNeeded) setError(failure)
      },
    )
    return () => {
      isCurrent = false
      setError(null)
    }
  }, [Component, isNeeded, isLoadedAhead, lazy, attempt])
  return { Component, error, retry: () => setAttempt(attempt + 1) }
}
