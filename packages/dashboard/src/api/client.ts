/** Client of the public API of this installation; the browser adds the session cookie. */
import { createClient } from '@status-page/client'

const DASHBOARD_PATH = '/dashboard'

const documentPath = (): string => {
  const element = document.querySelector<HTMLMetaElement>('meta[name=dashboard-path]')
  return import.meta.env.DEV ? `${DASHBOARD_PATH}/` : (element?.content ?? `${DASHBOARD_PATH}/`)
}

/** Path of the dashboard without its final slash. */
export const dashboardPath = documentPath().replace(/\/$/, '')

/** Path of the installation without its final slash; usually empty. */
export const basePath = dashboardPath.slice(0, -DASHBOARD_PATH.length)

export const api = createClient({ url: `${location.origin}${basePath}` })

/** Path that the login page accepts as its `next`: below the base URL. */
export const pathBelowBase = (path: string): string => path.slice(basePath.length)
