/** Part of a view that is loaded while the rest is displayed, and that fails without it. */
import type { ComponentType, ReactNode } from 'react'
import { lazyComponent, useLoaded } from './lazy-component.ts'
import { ModuleNote } from './module-problem.tsx'

/** Returns the part; `Placeholder` has its size. */
export const lazyPart = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Placeholder: ComponentType<Props>,
) => {
  const lazy = lazyComponent(load)
  return (props: Props): ReactNode => {
    const { Component, error, retry } = useLoaded(lazy, { isNeeded: true, isLoadedAhead: false })
    if (Component !== null) return <Component {...props} />
    return error === null ? <Placeholder {...props} /> : <ModuleNote onRetry={retry} />
  }
}
