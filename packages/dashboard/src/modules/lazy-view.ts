/** View of a route, whose module the router loads before it leaves the present view. */
import { lazyRouteComponent } from '@tanstack/react-router'
import { loadModule } from './load-module.ts'

/**
 * The error of a failed load is not one for which the router reloads the page: without a network,
 * the browser would show an error page of its own in place of the dashboard.
 */
export const lazyView: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(() => loadModule(load), name)
